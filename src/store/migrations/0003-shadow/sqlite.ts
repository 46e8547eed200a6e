export const sqlite = `
ALTER TABLE target ADD COLUMN shadow_since INTEGER;
ALTER TABLE target ADD COLUMN reported_waiting INTEGER;
ALTER TABLE target ADD COLUMN reported_at INTEGER;

CREATE TABLE shadow_result (
  job_seq INTEGER PRIMARY KEY REFERENCES job (seq),
  tenant TEXT NOT NULL,
  target TEXT NOT NULL,
  delivery_seq INTEGER NOT NULL REFERENCES delivery (seq),
  kind TEXT CHECK (kind IN ('write','nothing-to-write','park','refuse','not-yet')),
  reason TEXT,
  fault_code TEXT,
  counts TEXT,
  basis BLOB,
  evaluated_at INTEGER,
  due_at INTEGER NOT NULL DEFAULT 0,
  taken_by TEXT,
  taken_until INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX shadow_result_by_kind ON shadow_result (tenant, target, kind, reason, job_seq);

CREATE TABLE shadow_item (
  job_seq INTEGER NOT NULL REFERENCES shadow_result (job_seq),
  item_index BLOB NOT NULL,
  resource_type TEXT NOT NULL,
  change TEXT NOT NULL CHECK (change IN ('create','update','withdraw','present','left-out')),
  PRIMARY KEY (job_seq, item_index)
) STRICT, WITHOUT ROWID;
`;

export const postgres = `
ALTER TABLE target ADD COLUMN shadow_since bigint;
ALTER TABLE target ADD COLUMN reported_waiting bigint;
ALTER TABLE target ADD COLUMN reported_at bigint;

CREATE TABLE shadow_result (
  job_seq bigint PRIMARY KEY REFERENCES job (seq),
  tenant text NOT NULL,
  target text NOT NULL,
  delivery_seq bigint NOT NULL REFERENCES delivery (seq),
  kind text CHECK (kind IN ('write','nothing-to-write','park','refuse','not-yet')),
  reason text,
  fault_code text,
  counts text,
  basis bytea,
  evaluated_at bigint,
  due_at bigint NOT NULL DEFAULT 0,
  taken_by text,
  taken_until timestamptz NOT NULL DEFAULT '-infinity'
);
CREATE INDEX shadow_result_by_kind ON shadow_result (tenant, target, kind, reason, job_seq);

CREATE TABLE shadow_item (
  job_seq bigint NOT NULL REFERENCES shadow_result (job_seq),
  item_index bytea NOT NULL,
  resource_type text NOT NULL,
  change text NOT NULL CHECK (change IN ('create','update','withdraw','present','left-out')),
  PRIMARY KEY (job_seq, item_index)
);
`;

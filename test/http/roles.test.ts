import { describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { CONTRACTS, type Contract } from '../../src/admin/index.ts';
import { jsonAnswer, ok, type AdminCaller, type Route } from '../../src/kernel/index.ts';
import { PERMISSIONS, permissionsOf, ROLES, type Role } from '../../src/operators/index.ts';
import { collectLog } from '../support/collect-log.ts';
import { appOf } from '../support/gateway.ts';

/** Which routes each role opens, in words of their own: a change of the table of permissions must be meant. */
const OPENS: Readonly<Record<Role, string>> = {
  viewer: `flow.ledger flow.series flow.refused flow.stream`,
  engineer: `flow.ledger flow.series flow.refused flow.stream deliveries.groups deliveries.groupPatients
    deliveries.groupWords deliveries.changes deliveries.list deliveries.get
    deliveries.raw deliveries.replay deliveries.replayMany deliveries.discard jobs.preview jobs.start
    jobs.list jobs.get jobs.stop deliveries.explain mappings.unmapped mappings.reload targets.list
    targets.pause targets.resume shadow.report shadow.deliveries shadow.evaluate shadow.leave links.list
    links.get links.charted patients.connections patients.connection patients.labs patients.profiles
    patients.overdue patients.rule monitoring.rule mappings.rows mappings.try mappings.check
    mappings.loads targets.probe targets.probes targets.lanes links.history patients.list
    patients.timeline groups.list groups.get groups.members deliveries.note deliveries.assign restrictions.list restrictions.get handles.make handles.open
    settings.get`,
  'clinical-reviewer': `flow.ledger flow.series flow.refused flow.stream deliveries.groups deliveries.groupPatients
    deliveries.groupWords deliveries.changes deliveries.list deliveries.get
    deliveries.decide deliveries.approveMany jobs.list jobs.get deliveries.explain mappings.unmapped
    targets.list shadow.report shadow.deliveries links.list links.get links.charted patients.connections
    patients.connection patients.labs patients.profiles patients.overdue patients.rule monitoring.rule
    mappings.rows mappings.try mappings.check mappings.loads targets.probes targets.lanes links.history
    patients.list patients.timeline groups.list groups.get groups.members restrictions.list restrictions.get handles.make handles.open`,
  registrar: `flow.ledger flow.series flow.refused flow.stream links.list links.get links.put links.charted
    links.revoke links.import patients.connections patients.connection patients.connect patients.revoke
    patients.bind patients.labs patients.submitLab patients.profiles patients.requestProfile
    patients.overdue patients.rule patients.replaceRule monitoring.rule monitoring.replaceRule
    links.preview links.history patients.list patients.timeline groups.list groups.get groups.members groups.add
    groups.change groups.remove restrictions.list restrictions.get restrictions.put
    restrictions.remove handles.make handles.open`,
  auditor: `audit.search audit.get audit.key audit.verify audit.verifying audit.export audit.counts audit.searches audit.saveSearch
    audit.removeSearch`,
  administrator: `flow.ledger flow.series flow.refused flow.stream targets.list shadow.report users.erase keys.data
    keys.rotateData keys.rotateIdToken apps.list apps.add apps.remove apps.launch accounts.list
    accounts.add accounts.remove operators.list operators.add operators.get operators.remove
    operators.setRoles operators.disable operators.enable operators.reset operators.factors operators.removeFactor keys.list keys.add keys.remove
    targets.probes targets.lanes apps.edit apps.disable apps.enable accounts.disable accounts.enable
    accounts.reset accounts.resetFactor accounts.unlock grants.list grants.end subscriptions.list subscriptions.get
    subscriptions.end exports.list exports.get exports.end settings.get`,
};
const PROVED = `deliveries.raw audit.export users.erase keys.rotateData keys.rotateIdToken apps.add apps.remove
  accounts.add accounts.remove operators.add operators.remove operators.setRoles operators.disable
  operators.enable operators.reset operators.removeFactor apps.edit apps.disable apps.enable accounts.disable accounts.enable
  accounts.reset accounts.resetFactor accounts.unlock grants.end subscriptions.end exports.end
  keys.add keys.remove`.split(/\s+/);
/** Who asks something of their own session needs no role: test/attack/operators.test.ts has who is let in. */
const OF_ROLES = Object.entries<Contract>(CONTRACTS).flatMap(([id, contract]) =>
  contract.permission === null ? [] : [{ ...contract, id }],
);

/** Every route of the admin API with an answer of its own, behind the door that http keeps. */
const ROUTES = OF_ROLES.map(({ method, path, permission, proof }): Route => ({
  method,
  path,
  access: 'admin',
  permission,
  ...(proof === undefined ? {} : { proof }),
  handle: () => ok(jsonAnswer(200, {})),
}));
const asking = (caller: Pick<AdminCaller, 'permissions' | 'isProved'>) =>
  request(
    appOf(ROUTES, collectLog(), () =>
      Promise.resolve(ok({ kind: 'person', id: 'opr_ann', name: 'ann', roles: [], absent: null, ...caller })),
    ),
  );
async function opened(caller: Pick<AdminCaller, 'permissions' | 'isProved'>): Promise<string[]> {
  const app = asking(caller);
  const ids: string[] = [];
  for (const { id, method, path } of OF_ROLES) {
    const { status } = await app[method](path.replace(/:\w+/g, 'x'));
    if (status === 200) ids.push(id);
    else expect([id, status]).toEqual([id, 403]);
  }
  return ids;
}

describe('every route of the admin API', () => {
  test.each(ROLES)('opens to %s as the table says', async (role) => {
    expect((await opened({ permissions: permissionsOf([role]), isProved: true })).sort()).toEqual(
      OPENS[role].split(/\s+/).sort(),
    );
  });

  test('opens to nobody without a role, and each to some role', async () => {
    expect(await opened({ permissions: new Set(), isProved: true })).toEqual([]);
    expect(OF_ROLES.map(({ id }) => id).sort()).toEqual(
      [...new Set(Object.values(OPENS).join(' ').split(/\s+/))].sort(),
    );
  });

  test('asks a person for a second proof where the table says so, and nowhere else', async () => {
    const without = await opened({ permissions: new Set(PERMISSIONS), isProved: false });
    expect(
      OF_ROLES.map(({ id }) => id)
        .filter((id) => !without.includes(id))
        .sort(),
    ).toEqual([...PROVED].sort());
  });
});

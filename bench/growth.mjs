// What grows with the size of the repository and with the number of tasks: an investigation from start to end, a report at step 13,
// a call of the guard tool.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { interleave, median, wallOf } from './measure.mjs';
import { connect, makeRepository, report, sessionIn } from './session.mjs';

const FEW = 50;
const MANY = 5000;
const git = (folder, ...args) =>
  execFileSync('git', args, { cwd: folder, stdio: 'pipe', env: { ...process.env, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' } });

/** A repository of so many files, in folders of a hundred, in which claims are not held against a ledger. */
function makeSized(folder, files) {
  makeRepository(folder);
  for (let n = 0; n < files; n++) {
    const place = path.join(folder, `part${Math.floor(n / 100)}`);
    fs.mkdirSync(place, { recursive: true });
    fs.writeFileSync(path.join(place, `file${n}.txt`), `${n}\n`);
  }
  git(folder, 'add', '-A');
  git(folder, 'commit', '-q', '-m', 'many');
  fs.mkdirSync(path.join(folder, '.readygate'));
  fs.writeFileSync(path.join(folder, '.readygate/config.yml'), 'evidence: off\n');
  return folder;
}

/** A question from its start to its end: every submission looks for changes behind the gate. */
async function investigate({ call }) {
  const begun = performance.now();
  await call('start_session', { request: '--no-doc --no-pre-planning what is there?', intent: 'QUESTION' });
  await call('submit_phase', { data: { action_type: 'explain', target_symbols: [], scope: 'all', constraints: [] } });
  await call('submit_phase', { data: { explored_files: ['a.txt'], findings: ['one letter'] } });
  const end = await call('submit_phase', {
    data: {
      needs_more_information: false,
      reason: 'all of it was read',
      q2: { has_unverified_hypotheses: false, reason: 'all of it was read' },
      q3: { needs_impact_analysis: false, reason: 'nothing is to be changed' },
    },
  });
  if (end.phase !== 'SESSION_COMPLETE') throw new Error(`growth: the investigation stands at ${end.phase}`);
  return performance.now() - begun;
}

const guard =
  ({ client, folder }) =>
  async () => {
    const tool_input = JSON.stringify({ file_path: path.join(folder, 'a.txt'), old_string: 'a', new_string: 'b' });
    const begun = performance.now();
    await client.callTool({
      name: 'guard',
      arguments: { tool_name: 'Edit', tool_input, cwd: folder, session_id: 'bench', agent_id: '' },
    });
    return performance.now() - begun;
  };

/** Rows for the table: {name, value, goal, unit}. */
export async function growthBench() {
  const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'readygate-bench-')));
  try {
    const small = makeSized(path.join(base, 'small'), FEW);
    const large = makeSized(path.join(base, 'large'), MANY);
    const asking = { small: await connect(small), large: await connect(large) };
    const asked = await interleave(
      {
        small: () => investigate(asking.small),
        large: () => investigate(asking.large),
        status: () => wallOf('git', ['status', '--porcelain'], { cwd: large }),
      },
      15,
    );
    await Promise.all(Object.values(asking).map(({ client }) => client.close()));
    const working = { small: await sessionIn(small, 60), large: await sessionIn(large, 60) };
    const reports = await interleave({ small: report(working.small), large: report(working.large) }, 50);
    const guarded = await interleave({ small: guard(working.small), large: guard(working.large) }, 100);
    const tasks = {
      five: await sessionIn(makeSized(path.join(base, 'five'), FEW), 5),
      many: await sessionIn(makeSized(path.join(base, 'many'), FEW), 200),
    };
    const each = await interleave({ five: report(tasks.five), many: report(tasks.many) }, 5);
    await Promise.all([...Object.values(working), ...Object.values(tasks)].map(({ client }) => client.close()));
    const ratio = ({ small: one, large: other }) => median(other) / median(one);
    const files = `${MANY.toLocaleString('en')} files ÷ ${FEW}`;
    return [
      { name: `a report at step 13, ${files}`, value: ratio(reports), goal: 1.1, unit: '×' },
      { name: `guard tool for an Edit, ${files}`, value: ratio(guarded), goal: 1.1, unit: '×' },
      { name: `  an investigation from start to end, ${files}`, value: ratio(asked), goal: null, unit: '×' },
      {
        name: '  what it takes longer ÷ one git status there',
        value: (median(asked.large) - median(asked.small)) / median(asked.status),
        goal: null,
        unit: '×',
      },
      { name: 'a report with 200 tasks ÷ with 5', value: median(each.many) / median(each.five), goal: null, unit: '×' },
    ];
  } finally {
    fs.rmSync(base, { recursive: true, force: true });
  }
}

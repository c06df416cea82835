import type { Call, Handler } from './call.ts';
import { spec } from './effects.ts';
import { parseOptions } from './options.ts';
import { applyRules, subcommandOf } from './rules.ts';
import { absolute } from './targets.ts';
import { UNKNOWN } from './values.ts';

/** A container reaches the work tree only through a bind mount. */
export const CONTAINERS: [string, Handler][] = [
  ['docker', container],
  ['podman', container],
  ['nerdctl', container],
  ['chroot', changeRoot],
];

/** `chroot folder command`: the folder is the root of what the command sees. */
function changeRoot(call: Call): string {
  const { operands } = parseOptions(call.args, spec('--userspec --groups'), true);
  const { scope, evaluator } = call;
  const outside = absolute(operands[0] ?? '', scope.folder, scope);
  if (outside === null || operands.length < 2) return UNKNOWN;
  const inner = scope.fork();
  inner.mounts = [{ inside: '', outside }];
  inner.enter([outside]);
  return evaluator.command(operands.slice(1), inner, call.stdin);
}

const RUN = spec(
  '-v --volume --mount -w --workdir -e --env --env-file -u --user -p --publish --name --network --net --entrypoint -h --hostname -m --memory --cpus -l --label --platform --add-host --tmpfs --device --cap-add --cap-drop --security-opt --shm-size --gpus --restart --pull --ulimit --log-driver --ip --link --dns',
);

function container(call: Call): string {
  const found = subcommandOf(call);
  const { evaluator, scope } = call;
  if (found?.sub !== 'run') {
    applyRules(call);
    return UNKNOWN;
  }
  const { options, operands } = parseOptions(found.rest, RUN, true);
  const mounts: { inside: string; outside: string }[] = [];
  for (const mount of [...(options.get('-v') ?? []), ...(options.get('--volume') ?? [])]) {
    const [source = '', inside = '', mode = ''] = mount.split(':');
    if (!/\bro\b/.test(mode) && /^[./~]/.test(source)) mounts.push({ inside, outside: absolute(source, scope.folder, scope) ?? UNKNOWN });
  }
  for (const mount of options.get('--mount') ?? []) {
    const fields = new Map(mount.split(',').map((field) => field.split('=') as [string, string]));
    const source = fields.get('source') ?? fields.get('src');
    const inside = fields.get('target') ?? fields.get('dst') ?? fields.get('destination');
    const readOnly = fields.has('readonly') || fields.has('ro');
    if (!readOnly && source !== undefined && inside !== undefined)
      mounts.push({ inside, outside: absolute(source, scope.folder, scope) ?? UNKNOWN });
  }
  if (!mounts.some((mount) => evaluator.judge.inside(mount.outside))) return UNKNOWN;
  const inner = scope.fork();
  inner.mounts = mounts;
  const folder = options.get('-w')?.at(-1) ?? options.get('--workdir')?.at(-1);
  inner.enter([folder === undefined ? UNKNOWN : (absolute(folder, UNKNOWN, inner) ?? UNKNOWN)]);
  const entry = options.get('--entrypoint')?.at(-1);
  const command = operands.slice(1);
  return evaluator.command(entry === undefined ? command : [entry, ...command], inner, call.stdin);
}

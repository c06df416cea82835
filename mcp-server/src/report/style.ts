/** The look of a report: narrow and wide screens, light and dark, readable in print. */
export const STYLE = `
:root { color-scheme: light dark; --line: #8885; --quiet: #667; --good: #1a7f4b; --warm: #a15c00; --bad: #b3261e; --here: #2457c5; }
@media (prefers-color-scheme: dark) { :root { --quiet: #aab; --good: #58c88d; --warm: #f0b354; --bad: #ff8a80; --here: #8ab0ff; } }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--line); }
.request { white-space: pre-wrap; overflow-wrap: anywhere; border-left: 3px solid var(--line); padding-left: .75rem; }
dl { display: flex; flex-wrap: wrap; gap: .25rem 2rem; margin: 1rem 0; }
dt { color: var(--quiet); font-size: .8rem; }
dd { margin: 0; overflow-wrap: anywhere; }
.steps { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem; padding: 0; }
.steps li { width: 2.7rem; text-align: center; border: 1px solid var(--line); border-radius: .3rem; font-size: .85rem; }
.steps .done { border-color: var(--good); color: var(--good); }
.steps .done::after { content: " ✓"; }
.steps .skipped { border-style: dashed; color: var(--quiet); }
.steps .here { background: var(--here); color: canvas; font-weight: bold; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .25rem .5rem; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; font-weight: normal; }
thead th { color: var(--quiet); font-size: .8rem; }
.number { white-space: nowrap; font-variant-numeric: tabular-nums; }
.phases th { white-space: nowrap; font-size: .85rem; }
.bar { width: 60%; min-width: 3rem; }
meter { width: 100%; }
.completed td:nth-child(3) { color: var(--good); }
.block td:nth-child(4), .failed td:nth-child(4), .abort td:nth-child(4) { color: var(--bad); font-weight: bold; }
.override td:nth-child(4) { color: var(--warm); font-weight: bold; }
.wide { overflow-x: auto; }
.timeline { min-width: 44rem; font-size: .85rem; }
.known { list-style: none; padding: 0; }
.known li { margin: .4rem 0; padding: .4rem .75rem; border-left: 4px solid; }
.fact { border-color: var(--good) !important; }
.assumption { border-color: var(--warm) !important; border-left-style: dashed !important; }
.gap { border-color: var(--bad) !important; border-left-style: dotted !important; }
details { border: 1px solid var(--line); border-radius: .3rem; margin: .4rem 0; }
summary { padding: .4rem .75rem; cursor: pointer; }
pre { margin: 0; padding: .75rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; border-top: 1px solid var(--line); }
@media print { details { break-inside: avoid; } }
`;

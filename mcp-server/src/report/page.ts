/** A session as one HTML file that needs nothing else: no script, no font, no picture from anywhere. */

import { fill, type Language, sayStored, template } from '../messages/messages.ts';
import { Html, html } from './html.ts';
import { describeLine, duration } from './journal-lines.ts';
import type { PhaseTime, SessionRecord } from './session-record.ts';
import { STYLE } from './style.ts';

type Say = (key: string, params?: Record<string, string | number>) => string;

const LAST_STEP = 19;

function stepStrip({ state }: SessionRecord, say: Say): Html {
  const done = new Set(state?.completed_steps ?? []);
  const skipped = new Set(state?.skipped_steps ?? []);
  const cells = Array.from({ length: LAST_STEP }, (_, index) => {
    const step = index + 1;
    const here = state?.outcome === null && state.step === step;
    const how = here ? 'here' : done.has(step) ? 'done' : skipped.has(step) ? 'skipped' : 'open';
    return html`<li class="${how}" title="${say(`report.step.${how}`)}"><span>${step}</span></li>`;
  });
  return html`<ol class="steps" aria-label="${say('report.steps')}">${cells}</ol>`;
}

function fact(name: string, value: string): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

function head(record: SessionRecord, say: Say): Html {
  const { state, session, journal } = record;
  const [first, last] = [journal.lines[0], journal.lines.at(-1)];
  const took = first && last ? duration(Date.parse(last.at) - Date.parse(first.at)) : '';
  const outcome = state?.outcome ?? (state ? say('report.active', { phase: state.phase, step: state.step }) : '-');
  return html`<header><h1>${say('report.title', { session })}</h1>
<p class="request">${state?.request ?? ''}</p>
<dl>${[
    fact(say('report.outcome'), outcome),
    fact(say('report.branch'), `${state?.git?.branch ?? '-'} → ${state?.git?.base ?? '-'}`),
    fact(say('report.begun'), first?.at.slice(0, 19).replace('T', ' ') ?? '-'),
    fact(say('report.took'), took),
    fact(
      say('report.journal'),
      journal.broken
        ? say('report.journal.broken', { line: journal.broken.line })
        : say('report.journal.sound', { count: journal.lines.length }),
    ),
  ]}</dl>
${stepStrip(record, say)}</header>`;
}

function section(id: string, title: string, body: Html): Html {
  return html`<section id="${id}"><h2>${title}</h2>${body}</section>`;
}

function phaseRow({ phase, step, ms, visits }: PhaseTime, longest: number, say: Say): Html {
  const share = longest > 0 ? Math.max(1, Math.round((ms / longest) * 100)) : 1;
  return html`<tr><th scope="row">${step} ${phase}</th><td class="bar"><meter min="0" max="100" value="${share}">${share}%</meter></td><td class="number">${duration(ms)}</td><td class="number">${visits > 1 ? say('report.visits', { count: visits }) : ''}</td></tr>`;
}

function phases({ phases: times }: SessionRecord, say: Say): Html {
  const longest = Math.max(0, ...times.map(({ ms }) => ms));
  return html`<table class="phases">${times.map((time) => phaseRow(time, longest, say))}</table>`;
}

function tasks({ state }: SessionRecord, say: Say): Html {
  const rows = (state?.tasks ?? []).map(
    ({ id, description, status, failure_count, summary }) =>
      html`<tr class="${status}"><th scope="row">${id}</th><td>${description}${summary ? html`<br><small>${summary}</small>` : ''}</td><td>${say(`report.task.${status}`)}</td><td class="number">${failure_count > 0 ? say('report.failures', { count: failure_count }) : ''}</td></tr>`,
  );
  return rows.length > 0 ? html`<table>${rows}</table>` : html`<p>${say('report.none')}</p>`;
}

/** What is known, what is assumed and what is missing must not look alike: each has a mark, a word and a border of its own. */
function planning({ planning: found }: SessionRecord, say: Say): Html | null {
  if (!found) return null;
  const facts = found.facts.map(
    ({ id, text, source }) => html`<li class="fact"><b>✓ ${say('report.fact')}</b> ${id}: ${text} <code>${source}</code></li>`,
  );
  const assumptions = found.assumptions.map(
    ({ id, value, reasoning, confidence }) =>
      html`<li class="assumption"><b>≈ ${say('report.assumption', { confidence })}</b> ${id}: ${value}<br><small>${reasoning}</small></li>`,
  );
  const gaps = found.gaps.map(
    ({ id, description, impact }) =>
      html`<li class="gap"><b>? ${say('report.gap')}</b> ${id}: ${description}<br><small>${impact}</small></li>`,
  );
  const known = [...facts, ...assumptions, ...gaps];
  return known.length > 0 ? section('planning', say('report.planning'), html`<ul class="known">${known}</ul>`) : null;
}

function timeline({ journal }: SessionRecord, say: Say): Html {
  const rows = journal.lines.map((line, index) => {
    const before = journal.lines[index - 1];
    const { at, step, event, detail } = describeLine(line);
    const took = before ? duration(Date.parse(line.at) - Date.parse(before.at)) : '';
    const marked = event === 'refused' ? 'block' : ['block', 'failed', 'override', 'abort'].includes(event) ? event : 'plain';
    return html`<tr class="${marked}"><td class="number">${at}</td><td class="number">${took}</td><td>${step}</td><td>${event}</td><td>${detail}</td></tr>`;
  });
  const titles = ['at', 'took', 'step', 'event', 'detail'].map((name) => html`<th scope="col">${say(`report.column.${name}`)}</th>`);
  return html`<div class="wide"><table class="timeline"><thead><tr>${titles}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

function artifacts({ artifacts: found }: SessionRecord, say: Say): Html {
  if (found.length === 0) return html`<p>${say('report.none')}</p>`;
  return html`${found.map(({ name, text }) => html`<details><summary>${name}</summary><pre>${text}</pre></details>`)}`;
}

function warnings({ state }: SessionRecord, say: Say, language: Language): Html | null {
  const said = (state?.warnings ?? []).map((warning) => html`<li>${sayStored(warning, language)}</li>`);
  return said.length > 0 ? section('warnings', say('report.warnings'), html`<ul>${said}</ul>`) : null;
}

const HEAD = '<head><meta charset="utf-8"><meta name="generator" content="readygate report">';

/** Whether a file's text is a page that was made here. */
export const isReport = (text: string): boolean => text.startsWith('<!doctype html>\n<html lang="') && text.slice(0, 300).includes(HEAD);

/** The whole page. Every text of the session is escaped; the policy in its head keeps anything else from running. */
export function reportPage(record: SessionRecord, language: Language): string {
  const say: Say = (key, params = {}) => fill(template(key, language), params);
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  const parts = [
    head(record, say),
    warnings(record, say, language),
    section('phases', say('report.phases'), phases(record, say)),
    section('tasks', say('report.tasks'), tasks(record, say)),
    planning(record, say),
    section('artifacts', say('report.artifacts'), artifacts(record, say)),
    section('timeline', say('report.timeline'), timeline(record, say)),
  ].filter((part) => part !== null);
  return `<!doctype html>\n${
    html`<html lang="${language}">${new Html(HEAD)}<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${say('report.title', { session: record.session })}</title>
<style>${new Html(STYLE)}</style></head><body><main>${parts}</main></body></html>`.text
  }\n`;
}

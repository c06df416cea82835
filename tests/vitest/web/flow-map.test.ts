import { describe, expect, test } from 'vitest';
import { nodeOf, order } from '../../../mcp-server/src/flow/table.ts';
import { hasMessage, template } from '../../../mcp-server/src/messages/messages.ts';
import { NOTHING_YET } from '../../../mcp-server/src/pre-planning/types.ts';
import { flowMap, stationOf } from '../../../mcp-server/src/web/flow-map.ts';
import { layOut, lines } from '../../../mcp-server/src/web/page/flow-layout.ts';
import { standingOf } from '../../../mcp-server/src/web/page/standing.ts';
import { sessionView } from '../../../mcp-server/src/web/session-view.ts';
import { freshState } from '../state/store.ts';

const state = freshState('/tmp');
const maps = [
  flowMap(null),
  flowMap(state),
  flowMap({ ...state, pipeline: true }),
  flowMap({ ...state, intent: 'QUESTION', pipeline: true }),
];

describe('the drawing of the flow', () => {
  test('has one station for every step and phase, in the order in which they are walked', () => {
    for (const { stations } of maps) {
      expect(stations.map(({ node }) => order.indexOf(node))).toEqual(
        stations.map(({ node }) => order.indexOf(node)).sort((a, b) => a - b),
      );
      expect(new Set(stations.map(({ step, phase }) => `${step} ${phase}`)).size).toBe(stations.length);
      expect([...new Set(stations.map(({ step }) => step))]).toEqual(Array.from({ length: 18 }, (_, index) => index + 2));
      expect(new Set(stations.map(({ label }) => label)).size).toBe(stations.length);
      expect(stations.filter(({ open }) => open).map(({ step }) => step)).toEqual([13, 14]);
    }
  });

  test('has a name of at most two short lines for each of its stations and nodes, in both languages', () => {
    for (const node of order) expect(hasMessage(`web.step.${node}`), node).toBe(true);
    for (const { node } of maps.flatMap(({ stations }) => stations)) {
      for (const language of ['en', 'ja'] as const) {
        for (const line of lines(template(`web.step.${node}`, language), 9)) {
          const wide = [...line].reduce((sum, letter) => sum + (letter > '\u2e80' ? 2 : 1), 0);
          expect(wide, `${node} ${line}`).toBeLessThanOrEqual(10);
        }
      }
    }
  });

  test('marks the phases of step 4 that were given up, instead of a tick', async () => {
    const { stations } = flowMap(state);
    const session = await sessionView(
      { ...state, completed_steps: [4], pre_planning: { ...NOTHING_YET, degraded: ['REQUEST_UNDERSTANDING', 'INFORMATION_PLANNING'] } },
      'en',
    );
    const standings = stations
      .filter(({ step }) => step === 4)
      .map((station) => standingOf(stations.indexOf(station), 9, station, session));
    expect(standings).toEqual(['done', 'given_up', 'given_up', 'skipped']);
  });

  test.each([
    ['nothing of it was done, as with --fast', null, ['done', 'skipped', 'skipped', 'skipped']],
    ['there was nothing to collect', { planned: true, skip_reason: 'simple_task' }, ['done', 'done', 'done', 'skipped']],
  ])('does not tick a phase of step 4 where %s', async (_name, pre, expected) => {
    const { stations } = flowMap(state);
    const session = await sessionView({ ...state, completed_steps: [4], pre_planning: pre && { ...NOTHING_YET, ...pre } }, 'en');
    const ofStep = stations.filter(({ step }) => step === 4);
    expect(ofStep.map((station) => standingOf(stations.indexOf(station), 9, station, session))).toEqual(expected);
  });

  test('knows the station of every node', () => {
    for (const node of order) expect(stationOf(nodeOf(node).phase, nodeOf(node).step), node).not.toBeNull();
    expect(stationOf('READY', 12)).toBe('READY_PLAN');
    expect(stationOf('TOMORROW', 12)).toBeNull();
  });

  test.each([0, 240, 343, 700, 1392, 4000])('stays within %i px, and no two stations meet', (width) => {
    for (const count of [1, 18, 22]) {
      const { points, height, rows, cell } = layOut(count, width, 8);
      expect(points.length).toBe(count);
      for (const { x, y } of points) {
        expect(x).toBeGreaterThanOrEqual(0);
        expect(x).toBeLessThanOrEqual(width);
        expect(y).toBeLessThan(height);
      }
      expect(new Set(points.map(({ x, y }) => `${x} ${y}`)).size).toBe(width === 0 ? rows : count);
      if (width >= 343) expect(cell).toBeGreaterThanOrEqual(65);
    }
  });
});

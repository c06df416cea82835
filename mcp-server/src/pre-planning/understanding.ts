/** Step 4a. Pure. */
import { problem } from '../flow/problem.ts';
import type { MessageRef, Payload, Problem, SessionState } from '../flow/types.ts';
import { planned } from './information.ts';
import { percent } from './percent.ts';
import { settingsOf } from './settings.ts';
import { NOTHING_YET, type PrePlanning, type Understanding } from './types.ts';

/** Rule P1: whether an understanding is good enough to be relied on. The threshold itself is. */
function isSufficient(understanding: Understanding, threshold: number): boolean {
  const { task_type, primary_goal, understanding_confidence } = understanding;
  return understanding_confidence >= threshold && task_type.trim() !== '' && primary_goal.trim() !== '';
}

interface Needs {
  skip_collection?: boolean;
  skip_reason?: string;
}

const needsOf = (data: Payload): Needs | undefined => data.information_needs as Needs | undefined;

/** Rule P3 for the answer sent ahead. */
export function understandingProblems(data: Payload): Problem[] {
  const needs = needsOf(data);
  return needs?.skip_collection && !needs.skip_reason ? [problem('/information_needs/skip_reason', 'problem.skip_reason')] : [];
}

export interface Understood {
  pre: PrePlanning;
  remarks: MessageRef[];
}

/** What an accepted payload of 4a makes of the session. An answer sent ahead counts only as `skip_collection: true`. */
export function understand(state: SessionState, data: Payload): Understood {
  const { understanding: settings, collection } = settingsOf(state);
  const understanding = data.request_understanding as Understanding;
  const sufficient = isSufficient(understanding, settings.confidence_threshold);
  const pre: PrePlanning = { ...(state.pre_planning ?? NOTHING_YET), understanding, low_confidence: !sufficient };
  const params = { confidence: percent(understanding.understanding_confidence), threshold: percent(settings.confidence_threshold) };
  const remarks: MessageRef[] = sufficient || data.degraded ? [] : [{ key: 'warning.low_confidence', params }];
  const needs = needsOf(data);
  if (!needs || !collection.enabled) return { pre, remarks };
  if (needs.skip_collection) return { pre: planned(pre, { ...needs, required_information: [] }), remarks };
  return { pre, remarks: [...remarks, { key: 'warning.information_ahead' }] };
}

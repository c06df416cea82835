/** The settings of pre-planning as a session sees them. A state of an earlier version has none. */
import type { Config, PrePlanningConfig } from '../config/config.ts';

const DEFAULTS: PrePlanningConfig = {
  enabled: true,
  understanding: { confidence_threshold: 0.7 },
  collection: { enabled: true, max_retries_per_tool: 2 },
  assumption: { enabled: true, confidence_threshold: 0.5 },
  notification: {
    notify_on_start: true,
    notify_on_understanding_complete: true,
    notify_on_collection_complete: true,
    notify_on_assumption: false,
    notifiers: [],
  },
};

type Configured = { config: Pick<Config, 'planning'> };

/** Rule P12 and the thresholds; `planning.enabled: false` means no pre-planning either. */
export function settingsOf({ config }: Configured): PrePlanningConfig {
  const { planning } = config;
  if (!planning) return DEFAULTS;
  return planning.enabled ? planning.pre_planning : { ...planning.pre_planning, enabled: false };
}

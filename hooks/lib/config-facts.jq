# As facts.jq, for a change of the host's settings. The subject is the switch that is off now, or null.
($settings[0] | objects // {}) as $now_set
| [now, ($states[0] | .schema, .last_activity, .owner, .language), $states[1]], .session_id, .cwd, "ConfigChange", [$states[0].git.branch?],
  (if $now_set.disableAllHooks == true then "disableAllHooks"
   elif [$now_set.enabledPlugins | objects | to_entries[] | select(.value == false and (.key | startswith("readygate@")))] != [] then "enabledPlugins"
   else null end), 0, ($catalog[0].guards[] | select(.layers[0] == "bash" and .applies.tools[] == "ConfigChange")[])

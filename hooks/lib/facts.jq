# What judge.sh needs of payload, state and catalog, one JSON value per line; bash decides. Short, because jq compiles it on every call.
[now, ($states[0] | .schema, .last_activity, .owner, .language), $states[1]], .session_id, .cwd, .tool_name,
.tool_input[($catalog[0] | .file_tools + .shell_tools)[.tool_name] // ""], 0, (.tool_name as $tool | guards($tool))

# What judge.sh needs of payload, state and catalog, one JSON value per line; bash decides. Short, because jq compiles it on every
# call. The last row prints the seven values of each guard of this layer for the tool in the catalog's own order: id, name,
# layers, verdict, applies, message, remedy.
[now, ($states[0] | .schema, .last_activity, .owner, .language), $states[1]], .session_id, .cwd, .tool_name, [$states[0].git.branch?],
.tool_input[($catalog[0] | .file_tools + .shell_tools)[.tool_name] // ""], 0, (.tool_name as $tool | $catalog[0].guards[] | select(.layers[0] == "bash" and .applies.tools[] == $tool)[])

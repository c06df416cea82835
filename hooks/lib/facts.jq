# What file-tool.sh needs of payload, state and catalog, one JSON value per line; bash decides. Short, because jq compiles it on every
# call. The last row prints each guard's seven values in the catalog's own order: id, name, layers, verdict, applies, message, remedy.
[now, ($states[0] | .schema, .last_activity, .owner, .language), $states[1]], .session_id, .cwd, .tool_name,
.tool_input[$catalog[0].file_tools[.tool_name] // ""], $catalog[0].guards[][]

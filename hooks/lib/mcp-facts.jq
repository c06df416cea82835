# As facts.jq, for foreign MCP tools and for tools whose text can come back as a prompt. The subject is what the call does: "files",
# "message" or null; behind it stands the number of paths that it names, and these. The same rules in TypeScript:
# mcp-server/src/guards/mcp-tools.ts.
def fits($name): split("*") as $part
  | if ($part | length) == 1 then $name == $part[0]
    elif $name | startswith($part[0]) | not then false
    else reduce ($part[1:-1][] | select(. != "")) as $each ($name[($part[0] | length):];
        if . == null then . else index($each) as $at | if $at == null then null else .[$at + ($each | length):] end end)
      | . != null and endswith($part[-1])
    end;
# The words of a name, split at _ and - and where a capital follows a small letter.
def words: explode
  | reduce .[] as $char ([[], false];
      if $char >= 65 and $char <= 90 then [.[0] + (if .[1] then [95] else [] end) + [$char + 32], false]
      else [.[0] + [if $char == 45 then 95 else $char end], ($char >= 97 and $char <= 122 or $char >= 48 and $char <= 57)] end)
  | .[0] | implode | split("_");
def has_any($list): . as $own | $list | split(" ") | any(. as $word | $own | index($word) != null);
def changes_files($mcp; $more): . as $tool | (split("__")[-1] | words) as $own
  | any($more[]; fits($tool))
    or ([$own | join("_")] | has_any($mcp.names))
    or (($own | has_any($mcp.never) | not) and ($own | has_any($mcp.verbs)) and ($own | has_any($mcp.objects)));
. as $call | $catalog[0].mcp as $mcp
| ([$states[0].config.guard.mutating_tools?] | flatten | map(strings)) as $more
| (.tool_input | objects // null) as $input
| (if $input == null or .tool_name == null then null
   elif .tool_name as $tool | $catalog[0].message_tools | index($tool) then
     if $input | tojson | contains("/readygate:") then "message" else null end
   elif (.tool_name | startswith("mcp__")) and (.tool_name | startswith($mcp.own) | not) and (.tool_name | changes_files($mcp; $more)) then "files"
   else null end) as $subject
| [if $subject == "files" then $input[$mcp.paths | split(" ")[]] else empty end | if type == "array" then .[] else . end
    | strings | select(. != "")] as $paths
| [now, ($states[0] | .schema, .last_activity, .owner, .language), $states[1]], .session_id, .cwd, .tool_name, [$states[0].git.branch?], $subject,
  ($paths | length), $paths[], ((.tool_name // "" | if startswith("mcp__") then "mcp__*" else . end) as $tool
    | $catalog[0].guards[] | select(.layers[0] == "bash" and .applies.tools[] == $tool)[])

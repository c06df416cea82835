# As facts.jq, for foreign MCP tools and for tools whose text can come back as a prompt. The subject is what the call does: "files",
# "history" or "tree" of a repository, "message" or null; behind it stands the number of paths that it names, and these. The same rules in TypeScript:
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
def only_changes($mcp): (split("__")[-1] | words) as $own
  | ($own | has_any($mcp.plain_verbs)) and ($own - ($mcp.plain_verbs + " " + $mcp.plain_fillers | split(" ")) == []);
def git_kind($mcp): (split("__")[-1] | words | [join("_")]) as $name
  | if $name | has_any($mcp.git_history) then "history" elif $name | has_any($mcp.git_files) then "tree" else null end;
def paths_of($input; $fields): [$input[$fields | split(" ")[]] | if type == "array" then .[] else . end | strings | select(. != "")];
. as $call | $catalog[0].mcp as $mcp
| ([$states[0].config.guard.mutating_tools?] | flatten | map(strings)) as $more
| (.tool_input | objects // null) as $input
| (if $input == null or .tool_name == null then null
   elif .tool_name as $tool | $catalog[0].message_tools | index($tool) then
     if $input | tojson | contains("/readygate:") then "message" else null end
   elif (.tool_name | startswith("mcp__") | not) or (.tool_name | startswith($mcp.own)) then null
   elif .tool_name | git_kind($mcp) != null then .tool_name | git_kind($mcp)
   elif (.tool_name | changes_files($mcp; $more)) or ((.tool_name | only_changes($mcp)) and paths_of($input; $mcp.paths) != []) then "files"
   else null end) as $subject
| (if $subject == "files" then paths_of($input; $mcp.paths) elif $subject == "history" or $subject == "tree" then paths_of($input; $mcp.git_paths)
   else [] end) as $paths
| [now, ($states[0] | .schema, .last_activity, .owner, .language), $states[1]], .session_id, .cwd, .tool_name, [$states[0].git.branch?], $subject,
  ($paths | length), $paths[], ((.tool_name // "" | if startswith("mcp__") then "mcp__*" else . end) as $tool
    | $catalog[0].guards[] | select(.layers[0] == "bash" and .applies.tools[] == $tool)[])

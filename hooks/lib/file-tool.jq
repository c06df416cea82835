# What the catalog says about one call of a file tool under one session; where its path leads is for the caller.
# The same rules in TypeScript: mcp-server/src/guards/file-tools.ts and state-view.ts.

# One value per line: bash cannot hold NUL, and a path may hold newlines.
def encode: split("=") | join("=3D") | split("\n") | join("=0A");

def put($name; $value): split("{" + $name + "}") | join($value);

def is_state: type == "object" and .schema == 1 and (.last_activity | type) == "number"
  and (.owner | type == "string" or type == "null");

# Without activity for a day, and of another Claude session.
def is_dormant($owners; $now): .owner as $owner
  | $now - .last_activity > 86400000 and (any($owners[]; . != "" and . == $owner) | not);

def guards_for($catalog; $tool; $line): $catalog.guards[]
  | select(.verdict == "deny" and .applies.gate == $line.gate)
  | select(any(.applies.steps[]; tostring == $line.step) and any(.applies.tools[]; . == $tool));

# The path comes last: it is the only value that could hold a placeholder.
def reason($guard; $language; $tool; $target; $line):
  "Readygate \($guard.id) \($guard.name): \($guard.message[$language]) \($guard.remedy[$language])"
  | put("session"; $line.session) | put("phase"; $line.phase) | put("step"; $line.step) | put("tool"; $tool)
  | put("path"; $target | split("\n") | join("\\n"));

def note($text): {verdict: "note", message: $text};

# . is the payload; $line holds gate, phase, step and session of the gate line.
def judge($catalog; $state; $line; $own; $now):
  if type != "object" then note("the payload is not an object; this call is not gated")
  elif $state | is_state | not then note("state.json lacks schema 1, owner or last_activity; edits are not gated. Repair: /readygate:code --clean")
  else
    (.tool_name | tostring) as $tool
    | [guards_for($catalog; $tool; $line)][0] as $guard
    | $catalog.file_tools[$tool] as $field
    | (.tool_input | if type == "object" and $field != null then .[$field] else null end) as $target
    | if $guard == null or $field == null or ($state | is_dormant([$own, .session_id]; $now)) then {verdict: "pass"}
      elif ($target | type) != "string" or $target == "" then note("the call names no file; it is not gated")
      elif $target | explode | any(. == 0) then note("the file name holds a NUL; it is not gated, and no such file can be made")
      else {
        verdict: "deny",
        message: reason($guard; (if $state.language == "ja" then "ja" else "en" end); $tool; $target; $line),
        target: $target,
        cwd: (.cwd | if type == "string" then . else "" end)
      } end
  end;

def fields: (.verdict, .message, .target, .cwd | . // "" | encode), "end";

# . is the list of documents on stdin.
def answer($catalog; $states; $line; $own):
  if length != 1 or ($states | length) != 1 then error("not one document") else .[0] end
  | judge($catalog[0]; $states[0]; $line; $own; now * 1000) | fields;

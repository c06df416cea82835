# Stands before the other programs (ask_jq in judge.sh; `include` would cost more).
# The seven values of each guard of this layer that looks at `tool` where the session stands, in the catalog's own order: id, name,
# layers, verdict, applies, message, remedy.
def guards($tool): ([$states[0].git.branch?] | .[0] | strings // "") as $branch
  | ($step_text | tonumber? // -1) as $step
  | $catalog[0].guards[] | select(.layers[0] == "bash" and (.applies
      | (.gate == "any" or .gate == $gate) and (.tools | index($tool)) and (.steps == [] or (.steps | index($step)))
        and ($branch != "" or (has("branchless_steps") | not) or (.branchless_steps | index($step)))))[];

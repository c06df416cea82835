# The rule tables (*.tsv, generated from state/shell-effects.json), how commands are judged by them, and what reading commands print.
# Columns: 1 type 2 cmd 3 sub 4 sub2 5 style 6 values 7 attach 8 when 9 unless 10 files 11 dir 12 code 13 chdir 14 targets
# 15 skip 16 min 17 max 18 kind 19 match 20 notMatch 21 notWord 22 assign 23 mode 24 calls 25 flags

function load_rule(line,    cell, name, count, i) {
	if (line ~ /^#/) return
	split(line, cell, "\t")
	count = split(cell[2], name, " ")
	if (cell[1] == "N") {
		count = split(cell[6], name, " ")
		for (i = 1; i <= count; i++) {
			if (cell[2] == "ignored") IGNORED[name[i]] = 1
			else if (cell[2] == "shells") SHELL[name[i]] = 1
			else if (cell[2] == "codeVariables") CODE_VARIABLE[name[i]] = 1
			else if (cell[2] == "nodeTools") NODE_TOOL[name[i]] = 1
			else if (cell[2] == "cmakeVerbs") CMAKE_VERB[substr(name[i], 1, index(name[i], ":") - 1)] = substr(name[i], index(name[i], ":") + 1)
		}
		return
	}
	RULE[++RULES] = line
	for (i = 1; i <= count; i++) {
		if (cell[1] == "R") RULES_OF[name[i]] = RULES_OF[name[i]] " " RULES
		else if (cell[1] == "W") WRAPPERS_OF[name[i]] = WRAPPERS_OF[name[i]] " " RULES
		else if (cell[1] == "L") LANGUAGE_OF[name[i]] = RULES
		else if (cell[1] == "G") GLOBALS_OF[name[i]] = " " cell[6] " "
		else if (cell[1] == "C") CHDIR_OF[name[i]] = " " cell[6] " "
	}
}

function has(list, word) { return index(" " list " ", " " word " ") > 0 }

# --- options --------------------------------------------------------------------------------------------------------------
# options(lv, from, n, …) separates A[lv, from..n] into OPT (names, space-separated), OPT_VALUE[name, i], OPERAND[1..OPERANDS].

function record(name, value, given) {
	if (!has(OPT, name)) OPT = OPT " " name
	if (given) OPT_VALUE[name, ++OPT_COUNT[name]] = value
}

function options(lv, from, n, style, values, attach, known, flags, stop,    i, arg, head, equals, j, c, rest, bundle) {
	OPT = ""; OPERANDS = 0
	split("", OPT_VALUE); split("", OPT_COUNT); split("", OPERAND)
	for (i = from; i <= n; i++) {
		arg = A[lv, i]
		if (arg == "--") {
			if (has(flags, "afterDashes")) continue
			for (i++; i <= n; i++) OPERAND[++OPERANDS] = A[lv, i]
			break
		}
		if (i == from && has(flags, "bundle") && arg ~ /^[A-Za-z]/) arg = "-" arg
		if (arg !~ /^-./ || has(flags, "modes") && arg ~ /^-[rwxXst]+$/) {
			OPERAND[++OPERANDS] = arg
			if (stop) { for (i++; i <= n; i++) OPERAND[++OPERANDS] = A[lv, i]; break }
			continue
		}
		equals = index(arg, "=")
		head = equals ? substr(arg, 1, equals - 1) : arg
		if (arg ~ /^--/ || style == "long" || style == "mixed" && has(known, head)) {
			if (arg ~ /^--/ && style == "") head = full_name(head, known)
			# A table may name an option with one of its values (`-write=false`).
			if (equals && has(known, arg)) record(arg)
			if (equals) record(head, substr(arg, equals + 1), 1)
			# Behind the last word stand those of earlier commands.
			else if (has(values, head)) record(head, i < n ? A[lv, ++i] : "", 1)
			else record(head)
			continue
		}
		for (j = 2; j <= length(arg); j++) {
			c = "-" substr(arg, j, 1)
			rest = substr(arg, j + 1)
			if (has(attach, c)) { record(c, rest, 1); break }
			if (has(values, c)) { record(c, rest != "" ? rest : i < n ? A[lv, ++i] : "", 1); break }
			record(c)
		}
	}
}

# GNU long options may be abbreviated, if only one begins so.
function full_name(name, known,    part, count, i, found) {
	if (length(name) < 5 || has(known, name)) return name
	count = split(known, part, " ")
	for (i = 1; i <= count; i++) if (index(part[i], name) == 1 && part[i] != found) { if (found != "") return name; found = part[i] }
	return found == "" ? name : found
}

function any_option(list,    part, count, i) {
	count = split(list, part, " ")
	for (i = 1; i <= count; i++) if (has(OPT, part[i])) return 1
	return 0
}

function without(values, attach,    part, count, i, s) {
	count = split(values, part, " ")
	for (i = 1; i <= count; i++) if (!has(attach, part[i])) s = s " " part[i]
	return s
}

# --- rules ----------------------------------------------------------------------------------------------------------------

# The subcommand of a tool: SUB, SUB_AT (its position; 0 if none) and SUB_FOLDER, moved by `-C folder` and the like.
function subcommand(lv, from, n, name,    i, arg, option, equals, value) {
	SUB = ""; SUB_AT = 0; SUB_FOLDER = cwd()
	for (i = from; i <= n; i++) {
		arg = A[lv, i]
		# `cargo +nightly fmt`: the toolchain.
		if (i == from && name == "cargo" && arg ~ /^[+]/) continue
		if (arg !~ /^-/) { SUB = arg; SUB_AT = i; return }
		equals = arg ~ /^--/ ? index(arg, "=") : 0
		option = equals ? substr(arg, 1, equals - 1) : arg
		if (!equals && !has(GLOBALS_OF[name], option)) continue
		value = equals ? substr(arg, equals + 1) : A[lv, ++i]
		if (has(CHDIR_OF[name], option)) { SUB_FOLDER = absolute(value, SUB_FOLDER); if (SUB_FOLDER == "") SUB_FOLDER = U }
	}
}

function apply_rules(lv, from, n, name,    id, count, i, cell) {
	if (!(name in RULES_OF)) return
	count = split(RULES_OF[name], id, " ")
	subcommand(lv, from, n, name)
	for (i = 1; i <= count; i++) {
		split(RULE[id[i]], cell, "\t")
		if (cell[3] == "") apply_rule(lv, from, n, name, cell, cwd())
		else if (SUB_AT && has(cell[3], SUB)) second_word(lv, SUB_AT + 1, n, name, cell, SUB_FOLDER)
	}
}

# Rules with a second word (`npm pkg set`); the word is taken out.
function second_word(lv, from, n, name, cell, folder,    at, i, to) {
	if (cell[4] == "") { apply_rule(lv, from, n, name, cell, folder); return }
	for (at = from; at <= n && A[lv, at] ~ /^-/; at++) ;
	SECOND = at > n ? "" : A[lv, at]
	if (at > n) {
		if (has(cell[4], "-")) apply_rule(lv, from, n, name, cell, folder)
		return
	}
	if (!has(cell[4], SECOND)) return
	to = ++LEVEL
	for (i = from; i <= n; i++) if (i != at) A[to, ++to_count[to]] = A[lv, i]
	apply_rule(to, 1, to_count[to], name, cell, folder)
	to_count[to] = 0
	LEVEL--
}

function parse_for(lv, from, n, cell,    values, known) {
	values = without(cell[6] " " cell[10] " " cell[11] " " cell[12] " " cell[13], cell[7])
	known = values " " cell[7] " " cell[8] " " cell[9]
	options(lv, from, n, cell[5], values, cell[7], known, cell[25], 0)
}

function holds(cell,    named, i, name, text) {
	if (any_option("--help --version --dry-run") || any_option(cell[9])) return 0
	if (cell[8] != "" && !any_option(cell[8])) return 0
	named = any_option(cell[11])
	if (OPERANDS < cell[16] - named || cell[17] != "" && OPERANDS > cell[17]) return 0
	if (OPERANDS && cell[21] != "" && has(cell[21], OPERAND[1])) return 0
	if (cell[19] == "") return 1
	for (i = 1; i <= OPERANDS; i++) if (matches(OPERAND[i], cell)) return 1
	for (name in OPT_VALUE) if (matches(OPT_VALUE[name], cell)) return 1
	return 0
}
function matches(text, cell) { return (text ~ cell[19] || tolower(text) ~ cell[19]) && !(cell[20] != "" && text ~ cell[20]) }

function apply_rule(lv, from, n, name, cell, folder,    deep, by, i, j, part, count, found, total, mode, op, ops, dash, key) {
	parse_for(lv, from, n, cell)
	if (name == "git") { git_rule(lv, from, n, cell, folder); return }
	if (!holds(cell)) return
	deep = has(cell[25], "deep"); mode = cell[14]
	total = option_values(cell[10], found, 0)
	if (has(cell[25], "outs")) for (key in OPT_VALUE) { split(key, part, SUBSEP); if (part[1] ~ /_out$/) found[++total] = OPT_VALUE[key] }
	for (i = cell[15] + 1; i <= OPERANDS; i++) if (cell[19] == "" || OPERAND[i] !~ /^[+]/) op[++ops] = OPERAND[i]
	if (cell[22] != "") for (i = 1; i <= ops; i++) if (index(op[i], cell[22] "=") == 1) found[++total] = substr(op[i], length(cell[22]) + 2)
	count = total
	total = option_values(cell[11], found, total)
	if (has(cell[25], "dashFree")) {
		for (i = 1; i <= ops; i++) if (op[i] == "-") return
		for (i = count + 1; i <= total; i++) if (found[i] == "-") return
	}
	if (total == count || mode == "all") {
		if (mode == "all" || mode == "paths") for (i = 1; i <= ops; i++) found[++total] = op[i]
		if (mode == "last" && ops) found[++total] = op[ops]
		if (mode == "first" && ops) found[++total] = op[1]
		if (mode == "second") found[++total] = ops > 1 ? op[2] : "."
		if (mode == "cwd" || mode == "paths" && !ops) found[++total] = "."
		if (mode == "base" && ops) { sub(/^.*\//, "", op[1]); found[++total] = op[1] }
	}
	for (i = 1; i <= total; i++) {
		if (found[i] == "-" || found[i] == "" || name ~ /^(convert|magick)$/ && found[i] ~ /^(histogram:)?(info|null):$/ || has(cell[25], "remote") && found[i] ~ /^[A-Za-z0-9_.@-]*:/) continue
		judge(found[i], name, cell[18] == "" ? "tree" : cell[18], deep, folder)
	}
	if (mode == "repo") repository(cell[18] == "" ? "tree" : cell[18], name, folder)
}

function option_values(list, found, total,    part, count, i, j) {
	count = split(list, part, " ")
	for (i = 1; i <= count; i++) for (j = 1; j <= OPT_COUNT[part[i]]; j++) found[++total] = OPT_VALUE[part[i], j]
	return total
}

# `cmake -E`: its own names of commands that every system has.
function cmake(lv, from, n, stdin,    part, count, to, i, out) {
	to = ++LEVEL
	count = split(CMAKE_VERB[A[lv, from + 2]], part, ",")
	for (i = 1; i <= count; i++) A[to, i] = part[i]
	for (i = from + 3; i <= n; i++) A[to, ++count] = A[lv, i]
	out = inner_run(to, 1, count, stdin)
	LEVEL--
	return out
}

# A temporary file without a folder of its own is made in TMPDIR.
function temporary(lv, from, n, name) {
	options(lv, from + 1, n, "", "-p --suffix", "", "-p --suffix", "", 0)
	if (any_option("-u --dry-run --help --version -p") || OPT_COUNT["--tmpdir"] || OPERANDS && !any_option("-t --tmpdir")) return
	judge(V["TMPDIR"], name, "tree", 0, cwd())
}

# --- git -------------------------------------------------------------------------------------------------------------------

# The parts of git are programs of their own, too.
function git_part(lv, from, n, stdin, name,    to, i, out) {
	to = ++LEVEL
	A[to, 1] = "git"; A[to, 2] = substr(name, 5)
	for (i = from + 1; i <= n; i++) A[to, i - from + 2] = A[lv, i]
	out = git(to, 1, n - from + 2, stdin)
	LEVEL--
	return out
}

# What git acts on: its folder, or what options and variables name. An unknown place is U.
function git(lv, from, n, stdin) {
	subcommand(lv, from + 1, n, "git")
	GIT_REPOSITORY = git_place(lv, from, "--git-dir", "GIT_DIR")
	GIT_TREE = git_place(lv, from, "--work-tree", "GIT_WORK_TREE")
	if (GIT_TREE == "") GIT_TREE = GIT_REPOSITORY == U ? U : SUB_FOLDER
	GIT_ELSEWHERE = GIT_REPOSITORY != "" && !within(normal(GIT_REPOSITORY), ROOT)
	if (GIT_REPOSITORY == "") GIT_REPOSITORY = SUB_FOLDER
	apply_rules(lv, from + 1, n, "git")
	git_paths(lv, n)
	return GIT_REPOSITORY == SUB_FOLDER ? output(lv, from, n, stdin, "git") : U
}

# Paths that a command of any repository writes to: another repository by `push`, folders of work trees.
function git_paths(lv, n,    verb, path) {
	if (SUB ~ /^(push|send-pack)$/) {
		path = "-o --push-option --receive-pack --exec --repo"
		options(lv, SUB_AT + 1, n, "", path, "", path, "", 0)
		if (any_option("--help --dry-run -n")) return
		path = OPERANDS ? OPERAND[1] : OPT_COUNT["--repo"] ? OPT_VALUE["--repo", 1] : ""
		sub(/^file:\/\/(localhost)?/, "", path)
		if (path ~ /^[.\/]/) repository("history", "git " SUB, absolute(path, SUB_FOLDER))
	} else if (SUB == "worktree" && SUB_AT < n) {
		verb = A[lv, SUB_AT + 1]
		if (verb !~ /^(add|move|remove)$/) return
		options(lv, SUB_AT + 2, n, "", "-b -B --reason", "", "-b -B --reason", "", 0)
		if (has(OPT, "--help")) return
		if (OPERANDS) judge(OPERAND[1], "git worktree", "tree", 0, SUB_FOLDER)
		if (OPERANDS > 1 && verb == "move") judge(OPERAND[2], "git worktree", "tree", 0, SUB_FOLDER)
	}
}

function git_place(lv, from, option, variable,    i, value, path) {
	value = variable in V ? V[variable] : ""
	for (i = from + 1; i < SUB_AT; i++) {
		if (A[lv, i] == option) { value = A[lv, i + 1]; break }
		if (index(A[lv, i], option "=") == 1) { value = substr(A[lv, i], length(option) + 2); break }
	}
	if (value == "") return ""
	path = absolute(value, SUB_FOLDER)
	return path == "" || index(path, U) ? U : path
}

# History goes to the repository, files to the work tree.
function git_places(kind, by) {
	if (GIT_REPOSITORY == GIT_TREE) { repository(kind, by, GIT_TREE); return }
	if (kind == "tree" || changes_files()) repository("tree", by, GIT_TREE)
	if (kind != "tree") repository(kind, by, GIT_REPOSITORY)
	else if (SUB !~ /^(apply|clean|merge-file)$/) repository("git-index", by, GIT_REPOSITORY)
}

function changes_files() {
	if (SUB == "reset") return any_option("--hard --merge --keep")
	# The word after `stash` has been taken out.
	if (SUB == "stash") return SECOND !~ /^(drop|clear|store)$/
	if (SUB == "read-tree") return has(OPT, "-u")
	return SUB ~ /^(checkout|switch|merge|rebase|cherry-pick|revert|am|pull|bisect|subtree)$/
}

function git_rule(lv, from, n, cell, folder,    i, part, count, total, found, kind, by, reads, name) {
	by = "git " SUB
	# Its help.
	if (from == n && A[lv, n] == "-h") return
	if (SUB == "config") {
		for (i = from; i <= n; i++) if (tolower(A[lv, i]) == "core.hookspath") {
			if (any_option("--get --get-all --get-regexp -l --list") || OPERAND[1] ~ /^(get|list)$/) return
			if (GIT_ELSEWHERE) return
			if (i < n || any_option("--unset --unset-all") || OPERAND[1] == "unset") finding("hooks-off", ROOT, by)
			return
		}
	}
	if (!holds(cell)) return
	total = option_values(cell[10] " " cell[11], found, 0)
	for (i = 1; i <= total; i++) judge(found[i], by, "tree", 0, folder)
	if (total) return
	kind = cell[18] == "" ? "tree" : cell[18]
	if (cell[14] == "repo") {
		if (SUB == "checkout" && checkout_files(lv, from, n)) kind = "tree"
		else if (SUB == "reset" && reset_index(lv, from, n)) kind = "git-index"
		else if (SUB == "restore" && has(OPT, "--staged") && !has(OPT, "--worktree")) kind = "git-index"
		else if ((SUB == "rm" || SUB == "apply") && has(OPT, "--cached")) kind = "git-index"
		git_places(kind, by)
		if (SUB == "clean" && any_option("-x -X") && has(OPT, "-d") && within(normal(GIT_TREE), ROOT)) judge(".readygate", by, "tree", 0, GIT_TREE)
	} else if (cell[14] == "clone" && OPERANDS) {
		name = OPERAND[1]
		sub(/\/+$/, "", name); sub(/[.]git$/, "", name); sub(/^.*[\/:]/, "", name)
		judge(OPERANDS > 1 ? OPERAND[2] : name, by, "tree", 0, folder)
	} else if (cell[14] == "paths") judge(OPERANDS ? OPERAND[1] : ".", by, "tree", 0, folder)
	else if (cell[14] == "first" && OPERANDS) judge(OPERAND[1], by, "tree", 0, folder)
	else if (cell[14] == "cwd") judge(".", by, "tree", 0, folder)
}

function dashes(lv, from, n,    i) { for (i = from; i <= n; i++) if (A[lv, i] == "--") return 1; return 0 }

function checkout_files(lv, from, n) {
	if (any_option("-b -B --orphan --detach -d -t --track")) return 0
	if (dashes(lv, from, n) || any_option("-p --patch --ours --theirs --pathspec-from-file") || OPERANDS > 1) return 1
	return OPERAND[1] == "." || OPERAND[1] ~ /^[.][.]?\// || index(OPERAND[1], GLOB) || OPERAND[1] ~ /[^\/][.][A-Za-z][A-Za-z0-9]?[A-Za-z0-9]?[A-Za-z0-9]?[A-Za-z0-9]?[A-Za-z0-9]?$/
}

function reset_index(lv, from, n) {
	if (any_option("--hard --soft --mixed --keep --merge")) return 0
	if (dashes(lv, from, n) || has(OPT, "-p") || OPERANDS != 1) return 1
	return OPERAND[1] ~ /^(HEAD|[.])$/ || OPERAND[1] ~ /[^\/][.][A-Za-z][A-Za-z0-9]?[A-Za-z0-9]?[A-Za-z0-9]?[A-Za-z0-9]?[A-Za-z0-9]?$/
}

# --- what reading commands print ------------------------------------------------------------------------------------------------

function output(lv, from, n, stdin, name,    i, path, lists, out) {
	if (stdin == "") stdin = U
	if (name ~ /^(cat|tac)$/) {
		for (i = from + 1; i <= n; i++) if (A[lv, i] !~ /^-./) {
			path = absolute(A[lv, i], cwd())
			out = out (A[lv, i] == "-" ? stdin : path != "" && normal(path) in FILE ? FILE[normal(path)] : U)
			lists = 1
		}
		return lists ? out : stdin
	}
	if (name ~ /^(tee|sponge|sort|uniq|head|tail|shuf|nl|column)$/) return stdin
	if (name ~ /^([ef]?grep|rg|ag|ack)$/) {
		for (i = from + 1; i <= n; i++) {
			if (A[lv, i] ~ /^-[A-Za-z]*l[A-Za-z]*$|^--(files|files-with-matches|files-without-match|name-only)$/) lists = 1
			if (A[lv, i] ~ /^\//) path = A[lv, i]
		}
		# Which operand is the folder is layer 2's to say.
		return lists ? (path == "" ? "./" U "\n" : U) : stdin
	}
	if (name ~ /^(cut|tr|paste|fold)$/) return passed(stdin)
	if (name == "ls") {
		for (i = from + 1; i <= n; i++) if (index(A[lv, i], GLOB)) return A[lv, i] "\n"
		return U
	}
	if (name == "git") return git_output(lv, from, n)
	if (name ~ /^g?mktemp$/) return n > from && index(A[lv, n], "/") ? A[lv, n] "\n" : TMP "/tmp." U "\n"
	if (name == "which" || name == "type") return "/usr/bin/" A[lv, n] "\n"
	if (name == "date") return "20260101"
	return U
}

function git_output(lv, from, n,    i, all) {
	for (i = from + 1; i <= n; i++) { if (A[lv, i] ~ /^-C/) return U; all = all " " A[lv, i] }
	if (all ~ /^ rev-parse --show-toplevel$/) return (within(normal(cwd()), ROOT) ? ROOT : U) "\n"
	if (all ~ /^ ls-files( |$)/ || all ~ /^ (diff|show)( .*)? --name-only( |$)/ || all ~ /^ grep( .*)? (-l|-rl|-il|--name-only)( |$)/ || all ~ /^ status( .*)? (-s|--short|--porcelain)( |$)/) return "./" U "\n"
	return U
}

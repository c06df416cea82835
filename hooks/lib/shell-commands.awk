# One command by name: function, builtin, wrapper, interpreter, or a rule of the table. Returns what it prints, as far as known.

# `direct`: 1 as the shell itself meets it, 2 behind `time`, 0 behind a wrapper that knows no functions.
function run(lv, from, n, stdin, direct,    name, path, out) {
	if (SKIP || LEVEL > 60) return U
	# No honest command is that long; the rest is left to layer 2.
	if (++STEPS > MAX_STEPS) { OVER = 1; fail(); return U }
	name = A[lv, from]
	if (name == "" || index(name, U) || index(name, GLOB)) return U
	if (direct && ("\nf:" name) in V) return call(V["\nf:" name], lv, from, n, stdin)
	if (direct && ("\na:" name) in V) return run_text(V["\na:" name] words_from(lv, from + 1, n), stdin)
	if (index(name, "/")) {
		path = normal(absolute(name, cwd()))
		if (path in FILE) return run_text(FILE[path], stdin)
		started(path, name)
		sub(/^.*\//, "", name)
	}
	if (direct == 1) return dispatch(lv, from, n, stdin, name)
	# Nobody nests so many: layer 2 refuses it, too, whatever they run.
	if (WRAPPED >= MAX_WRAPPED) { finding("unread", ROOT, name); return U }
	if (!room(2)) return U
	DEPTH += 2; WRAPPED++
	out = dispatch(lv, from, n, stdin, name)
	DEPTH -= 2; WRAPPED--
	return out
}

# The plugin's own programs answer to the host alone. Where the plugin lies is for the hook to say.
function started(path, by) { if (path ~ /\/server(-main)?[.]cjs$/ && !index(path, U) && !index(path, GLOB)) finding("?guard", path, by) }

function call(body, lv, from, n, stdin,    i, items, out, had, old) {
	if (CALLS >= 8) return U
	CALLS++
	for (i = from + 1; i <= n; i++) items = items (i > from + 1 ? GAP : "") A[lv, i]
	had = "\nargs" in V; old = V["\nargs"]
	if (n > from) V["\nargs"] = items
	else V["\nargs"] = GAP
	out = run_text(body, stdin)
	if (had) V["\nargs"] = old
	else delete V["\nargs"]
	end_locals()
	CALLS--
	return out
}

# The words as shell text that stands for itself.
function words_from(lv, from, n,    i, s, word) {
	for (i = from; i <= n; i++) {
		word = A[lv, i]
		if (word !~ /^[A-Za-z0-9_.\/:=@%+,\001\002-]+$/) { gsub(/'/, "'\\''", word); word = "'" word "'" }
		s = s " " word
	}
	return s
}
function joined(lv, from, n,    i, s) { for (i = from; i <= n; i++) s = s (i > from ? " " : "") A[lv, i]; return plain(s) }
function plain(s) { gsub(GLOB, "*", s); return s }

# Runs a text in a subshell.
function inner(text, stdin,    mark, out) { mark = STATE; out = run_text(plain(text), stdin); undo(mark); return out }
function inner_run(lv, from, n, stdin,    mark, out) { mark = STATE; out = run(lv, from, n, stdin, 0); undo(mark); return out }

function dispatch(lv, from, n, stdin, name,    out) {
	if (name ~ /^(true|false|:|test|\[)$/) return ""
	if (name == "exit") { EXITS++; return "" }
	if (name == "cd" || name == "pushd") return change_folder(lv, from, n, name)
	if (name == "popd") { if (FOLDERS) enter(STACK[FOLDERS--]); return "" }
	if (name ~ /^(export|declare|typeset|local|readonly)$/) return declared(lv, from, n)
	if (name == "unset") { for (from++; from <= n; from++) set_var(A[lv, from], ""); return "" }
	if (name == "set" || name == "shift" || name == "mapfile" || name == "readarray") return positional(lv, from, n, name)
	if (name == "read") return read_variables(lv, from, n, stdin)
	if (name == "printf" || name == "echo") return printed(lv, from, n, name)
	if (name == "eval") return run_text(joined(lv, from + 1, n), stdin)
	if ((name == "source" || name == ".") && A[lv, from + 1] == "/dev/stdin") return run_text(plain(stdin), U)
	if (name == "source" || name == ".") return n > from ? sourced(A[lv, from + 1], stdin) : U
	if (name == "trap") { if (n > from + 1 && A[lv, from + 1] !~ /^-/ && !index(A[lv, from + 1], U)) inner(A[lv, from + 1], U); return "" }
	if (name == "alias") { for (from++; from <= n; from++) if (A[lv, from] ~ /^[^=]+=/) set_var("\na:" substr(A[lv, from], 1, index(A[lv, from], "=") - 1), substr(A[lv, from], index(A[lv, from], "=") + 1)); return "" }
	if (name == "hash") { if (A[lv, from + 1] == "-p") set_var("\na:" A[lv, from + 3], A[lv, from + 2]); return "" }
	if (name == "pwd") return cwd() "\n"
	if (name == "command" && A[lv, from + 1] ~ /^-[vV]+$/) return "/usr/bin/" A[lv, from + 2] "\n"
	if (name == "find" || name == "gfind") return find(lv, from, n)
	if (name ~ /^fd(find)?$/) return fd(lv, from, n)
	if (name == "parallel") return parallel(lv, from, n, stdin)
	if (name == "xargs" || name == "gxargs") return xargs(lv, from, n, stdin)
	if (name == "sed" || name == "gsed") return sed(lv, from, n, stdin)
	if (name ~ /^[gmn]?awk$/) return awk_command(lv, from, n, stdin)
	if (name ~ /^git-[a-z]/) return git_part(lv, from, n, stdin, name)
	if (name == "cmake" && A[lv, from + 1] == "-E" && A[lv, from + 2] in CMAKE_VERB) return cmake(lv, from, n, stdin)
	if (name == "git") return git(lv, from, n, stdin)
	if (name in WRAPPERS_OF && (out = wrapper(lv, from, n, stdin, name)) != GAP) return out
	if (name ~ /^(npm|pnpm|yarn|bun)$/ && (out = node_tool(lv, from, n, stdin, name)) != GAP) return out
	if (name in SHELL) return shell(lv, from, n, stdin)
	if (name ~ /^(python|pypy|php|ruby|perl)[0-9.]+$/) sub(/[0-9.]+$/, "", name)
	if (name ~ /^g?mktemp$/ && "TMPDIR" in V) temporary(lv, from, n, name)
	apply_rules(lv, from + 1, n, name)
	if (name in LANGUAGE_OF) return interpreter(lv, from, n, stdin, name)
	return output(lv, from, n, stdin, name)
}

# --- builtins ---------------------------------------------------------------------------------------------------------------

function change_folder(lv, from, n, name,    i, target, path, other) {
	for (i = from + 1; i <= n && A[lv, i] ~ /^-[A-Za-z]/; i++) ;
	if (A[lv, i] == "--" && i <= n) i++
	if (name == "pushd") STACK[++FOLDERS] = cwd()
	if (i > n) { enter(HOME); return "" }
	target = A[lv, i]
	if (target == "-") { enter(V["\nold"]); return cwd() "\n" }
	path = absolute(target, cwd())
	other = elsewhere() == "" ? "" : absolute(target, elsewhere())
	enter(path == "" || index(path, GLOB) ? U : path)
	if (other != "" && !index(other, GLOB)) set_var("\nalso", other)
	return ""
}

function declared(lv, from, n,    at, here) {
	here = CALLS && A[lv, from] ~ /^(local|declare|typeset)$/
	for (from++; from <= n; from++) {
		if (A[lv, from] ~ /^-.*g/) here = 0
		at = index(A[lv, from], "=")
		if (here && A[lv, from] ~ /^[A-Za-z_]/) localize(at ? substr(A[lv, from], 1, at - 1) : A[lv, from])
		if (at > 1 && A[lv, from] ~ /^[A-Za-z_][A-Za-z0-9_]*=/) set_var(substr(A[lv, from], 1, at - 1), substr(A[lv, from], at + 1))
	}
	return ""
}

function positional(lv, from, n, name,    i, s) {
	if (name != "set" && name != "shift") for (i = from + 1; i < n; i++) if (A[lv, i] == "-C") inner(A[lv, i + 1] " 0 " U, U)
	if (name != "set") { if ("\nargs" in V || name != "shift") set_var(name == "shift" ? "\nargs" : A[lv, n], U); return "" }
	for (i = from + 1; i <= n; i++) if (A[lv, i] == "--") break
	if (i > n && (n == from || A[lv, from + 1] ~ /^[-+]/)) return ""
	if (i > n) i = from
	for (from = i + 1; from <= n; from++) s = s (from > i + 1 ? GAP : "") A[lv, from]
	set_var("\nargs", s)
	return ""
}

function read_variables(lv, from, n, stdin,    i, line, part, count, names, name) {
	line = stdin
	sub(/\n.*$/, "", line)
	if (stdin == "") line = U
	if ("IFS" in V && V["IFS"] !~ /^[ \t\n]*$/) line = U
	for (i = from + 1; i <= n; i++) {
		if (A[lv, i] ~ /^-[A-Za-z]*[dinNptu]$/) i++
		else if (A[lv, i] !~ /^-/) name[++names] = A[lv, i]
	}
	if (!names) name[++names] = "REPLY"
	if (names == 1) { sub(/^[ \t]+/, "", line); sub(/[ \t]+$/, "", line); set_var(name[1], line); return "" }
	for (i = 1; i <= names; i++) set_var(name[i], U)
	return ""
}

function printed(lv, from, n, name,    format, out, at, i, letter, escape, variable) {
	i = from + 1
	if (name == "echo") {
		for (; A[lv, i] ~ /^-[neE]+$/ && i <= n; i++) if (A[lv, i] ~ /e/) escape = 1
		out = raw_joined(lv, i, n)
		return (escape ? escapes(out) : out) "\n"
	}
	if (A[lv, i] == "-v") { variable = A[lv, i + 1]; i += 2 }
	if (A[lv, i] == "--") i++
	format = escapes(i <= n ? plain(A[lv, i++]) : "")
	while ((at = index(format, "%"))) {
		out = out substr(format, 1, at - 1)
		letter = substr(format, at + 1, 1)
		format = substr(format, at + 2)
		if (letter == "%") out = out "%"
		else if (letter ~ /[a-zA-Z]/) out = out (i <= n ? A[lv, i++] : "")
		else { out = out U; break }
	}
	out = out format
	# Arguments left over repeat the format; only layer 2 follows that.
	if (i <= n) out = U
	if (variable == "") return out
	set_var(variable, out)
	return ""
}
function raw_joined(lv, from, n,    i, s) { for (i = from; i <= n; i++) s = s (i > from ? " " : "") A[lv, i]; return s }

function sourced(file, stdin,    path) {
	path = absolute(file, cwd())
	return path != "" && normal(path) in FILE ? run_text(plain(FILE[normal(path)]), stdin) : U
}

# --- shells and wrappers ------------------------------------------------------------------------------------------------------

function shell(lv, from, n, stdin,    i, code, input, arg, path, mark, out, items, j) {
	for (i = from + 1; i <= n; i++) {
		arg = A[lv, i]
		if (arg == "--" || arg == "-") { i++; break }
		if (arg !~ /^[-+]./) break
		if (arg ~ /^--(init-file|rcfile)$/) i++
		if (arg ~ /^--/) continue
		if (arg ~ /n/) return ""
		if (arg ~ /c/) code = 1
		if (arg ~ /s/) input = 1
		if (arg ~ /[oO]$/) i++
	}
	mark = STATE
	forget_functions()
	if (code) {
		if (i > n) { undo(mark); return "" }
		for (j = i + 2; j <= n; j++) items = items (j > i + 2 ? GAP : "") A[lv, j]
		set_var("\nargs", items)
		out = run_text(plain(A[lv, i]), stdin)
	} else if (i > n || input) {
		for (j = i; j <= n; j++) items = items (j > i ? GAP : "") A[lv, j]
		set_var("\nargs", items)
		out = run_text(plain(stdin), "")
	} else {
		path = absolute(A[lv, i], cwd())
		for (j = i + 1; j <= n; j++) items = items (j > i + 1 ? GAP : "") A[lv, j]
		set_var("\nargs", items)
		out = path != "" && normal(path) in FILE ? run_text(plain(FILE[normal(path)]), stdin) : U
	}
	undo(mark)
	return out
}
function forget_functions(    name) { for (name in V) if (name ~ /^\n[fa]:/) FORGOTTEN[name] = 1; for (name in FORGOTTEN) set_var(name, U) }

# GAP when no wrapper of this name applies.
function wrapper(lv, from, n, stdin, name,    id, count, i, cell, start, folder) {
	# `sg` is ast-grep, too; that of the system takes a group first.
	if (name == "sg" && from < n && A[lv, from + 1] ~ /^(run|scan|-.+)$/) { apply_rules(lv, from + 1, n, "ast-grep"); return U }
	count = split(WRAPPERS_OF[name], id, " ")
	for (i = 1; i <= count; i++) {
		split(RULE[id[i]], cell, "\t")
		if (cell[3] == "") return unwrap(lv, from + 1, n, stdin, name, cell, cwd())
		subcommand(lv, from + 1, n, name)
		if (SUB_AT && has(cell[3], SUB)) return unwrap(lv, SUB_AT + 1, n, stdin, name, cell, SUB_FOLDER)
	}
	return GAP
}

function unwrap(lv, from, n, stdin, name, cell, folder,    mode, mark, part, count, i, j, value, list, total, out, to, k, at) {
	mode = cell[23] == "" ? "args" : cell[23]
	mark = STATE
	if (mode == "after") {
		for (i = from; i <= n && !has(cell[6], A[lv, i]); i++) ;
		return i < n ? inner_run(lv, i + 1, n, stdin) : U
	}
	if (folder != cwd()) enter(folder)
	options(lv, from, n, cell[5], without(cell[6] " " cell[10] " " cell[12] " " cell[13], cell[7]), cell[7], cell[6] " " cell[10] " " cell[12] " " cell[13], cell[25], mode != "none")
	total = option_values(cell[13], list, 0)
	if (total) { value = absolute(list[total], cwd()); enter(value == "" ? U : value) }
	to = ++LEVEL
	for (i = 1; i <= OPERANDS; i++) A[to, i] = OPERAND[i]
	count = OPERANDS
	total = option_values(cell[10], list, 0)
	for (i = 1; i <= total; i++) judge(list[i], name, "tree", 0, cwd())
	total = option_values(cell[12], list, 0)
	for (i = 1; i <= total; i++) out = out inner(list[i], stdin)
	k = 1
	if (name == "env" && A[to, 1] == "-") k++
	if (has(cell[25], "assign")) for (; k <= count && A[to, k] ~ /^[A-Za-z_][A-Za-z0-9_]*=/; k++) {
		at = index(A[to, k], "=")
		set_var(substr(A[to, k], 1, at - 1), substr(A[to, k], at + 1))
	}
	if (has(cell[25], "creates") && k <= count && A[to, k] !~ /^([0-9]+|[.]|.*\/)$/) judge(A[to, k], name, "tree", 0, cwd())
	k += cell[15]
	if (k <= count && A[to, k] == "--") k++
	if (k > count || mode == "none") out = out == "" ? U : out
	else if (cell[12] != "" && has(cell[12], A[to, k])) out = k < count ? run_text(plain(A[to, k + 1]), stdin) : U
	else if (mode == "shell") out = run_text(joined(to, k, count), stdin)
	# A package of the project (`go run ./cmd/install`) is a program of its own, whatever its name.
	else if (name == "go" && A[to, k] ~ /^[.]/) out = U
	else if (mode == "each") { for (; k <= count; k++) inner(A[to, k], stdin); out = U }
	else {
		if (has(cell[25], "versions")) {
			if (A[to, k] ~ /.@[^\/]*$/) sub(/@[^\/@]*$/, "", A[to, k])
			sub(/^.*\//, "", A[to, k])
			# `npm exec tool -- args`: the dashes are the package manager's.
			for (i = k; cell[3] != "" && i <= count && A[to, i] != "--"; i++) ;
			if (cell[3] != "" && i <= count) for (count--; i <= count; i++) A[to, i] = A[to, i + 1]
		}
		if (name == "command" || name == "builtin") { LEVEL--; return run(to, k, count, stdin, 0) }
		out = run(to, k, count, stdin, name == "time" ? 2 : 0)
	}
	LEVEL--
	undo(mark)
	return out
}

# `yarn prettier …`: a package manager runs a tool of the project.
function node_tool(lv, from, n, stdin, name,    at, mark, out) {
	subcommand(lv, from + 1, n, name)
	if (!SUB_AT) return GAP
	at = SUB_AT
	if (SUB == "run" && name != "npm") at++
	if (at > n || !(A[lv, at] in NODE_TOOL)) return GAP
	mark = STATE
	if (SUB_FOLDER != cwd()) enter(SUB_FOLDER)
	out = run(lv, at, n, stdin, 0)
	undo(mark)
	return out
}

# --- find and xargs ----------------------------------------------------------------------------------------------------------

function find(lv, from, n,    i, arg, start, starts, names, name, erases, action, actions, at, j, k, path, to, word, out) {
	for (i = from + 1; i <= n && A[lv, i] ~ /^-([HLP]|O[0-9]?)$/; i++) ;
	for (; i <= n && A[lv, i] !~ /^[-(!]/; i++) start[++starts] = A[lv, i]
	if (!starts) start[++starts] = "."
	for (; i <= n; i++) {
		arg = A[lv, i]
		if (arg == "-delete") erases = 1
		else if (arg ~ /^-(exec|ok)(dir)?$/) {
			action[++actions] = i + 1
			while (i <= n && A[lv, i] != ";" && !(A[lv, i] == "+" && A[lv, i - 1] == "{}")) i++
			at[actions] = i - 1
		} else if (arg ~ /^-f(print0?|ls|printf)$/) judge(A[lv, ++i], "find", "tree", 0, cwd())
		else if (arg ~ /^-(i?name|i?path|wholename|i?regex|lname|x?type|size|[mac]time|[mac]min|a?newer|perm|user|group|[ug]id|m(ax|in)depth|inum|links|fstype|samefile|printf|regextype|cnewer|D)$/) {
			i++
			if (arg ~ /name$/ && arg !~ /[lw]/) name[++names] = A[lv, i]
		}
	}
	for (k = 1; k <= starts; k++) {
		path = start[k]
		if (length(path) > 1) sub(/\/$/, "", path)
		path = path "/" (names == 1 && name[1] in IGNORED ? name[1] : U)
		out = out path "\n"
		if (erases) judge(path, "find -delete", "tree", 0, cwd())
		for (j = 1; j <= actions; j++) {
			to = ++LEVEL
			for (i = action[j]; i <= at[j]; i++) A[to, i] = filled(A[lv, i], "{}", path)
			if (at[j] >= action[j]) inner_run(to, action[j], at[j], U)
			LEVEL--
		}
	}
	return out
}

# `fd … -x command`, with the found files at the end or at `{}`.
function fd(lv, from, n,    at, i, to, count, path, marked) {
	for (at = from + 1; at <= n && A[lv, at] !~ /^(-x|-X|--exec|--exec-batch)$/; at++) if (A[lv, at] ~ /^\//) return U
	path = "./" U
	if (at >= n) return path "\n"
	# Which operand is the folder is layer 2's to say.
	options(lv, from + 1, at - 1, "", "-e --extension -t --type -d --max-depth -E --exclude -g --base-directory --search-path -c --color -S --size -j --threads", "", "", "", 0)
	if (OPERANDS > 1 || any_option("--base-directory --search-path")) return U
	to = ++LEVEL
	for (i = at + 1; i <= n; i++) {
		if (index(A[lv, i], "{}")) marked = 1
		A[to, ++count] = filled(A[lv, i], "{}", path)
	}
	if (!marked) A[to, ++count] = path
	inner_run(to, 1, count, U)
	LEVEL--
	return U
}

# `parallel command ::: items`: each item at `{}` or at the end.
function parallel(lv, from, n, stdin,    i, at, code, item, items, marked) {
	options(lv, from + 1, n, "", "-j --jobs -N -n -I --colsep -C -a --arg-file --joblog --results --delay --timeout --tmpdir -d --max-args -L", "", "", "", 1)
	if (any_option("-I -a --arg-file --colsep -C")) return U
	for (at = 1; at <= OPERANDS && OPERAND[at] != ":::"; at++) {
		code = code (at > 1 ? " " : "") OPERAND[at]
		if (index(OPERAND[at], "{}")) marked = 1
		else if (index(OPERAND[at], "{")) return U
	}
	if (at > OPERANDS) item[++items] = stdin
	for (at++; at <= OPERANDS && items < 12; at++) item[++items] = OPERAND[at]
	for (i = 1; i <= items; i++) {
		sub(/\n.*$/, "", item[i])
		if (code != "" && item[i] ~ /^[A-Za-z0-9_.\/\001\002-]+$/) inner(marked ? filled(code, "{}", item[i]) : code " " item[i], U)
	}
	return U
}

function filled(word, mark, item,    at, s) {
	while ((at = index(word, mark))) { s = s substr(word, 1, at - 1) item; word = substr(word, at + length(mark)) }
	return s word
}

function xargs(lv, from, n, stdin,    insert, start, item, items, i, to, count, list, total, value, out) {
	options(lv, from + 1, n, "", "-I -J -n -L -P -s -d -E -a -R -S --replace --max-args --max-lines --max-procs --max-chars --delimiter --eof --arg-file --process-slot-var", "-i -e -l", "", "", 1)
	total = option_values("-I -J --replace", list, 0)
	insert = total ? list[1] : has(OPT, "-i") ? "{}" : ""
	if (has(OPT, "-a") || stdin == "") stdin = U
	to = ++LEVEL
	start = OPERAND[1] == "--" ? 2 : 1
	count = 0
	for (i = start; i <= OPERANDS; i++) A[to, ++count] = OPERAND[i]
	items = split(stdin, item, insert != "" || has(OPT, "-d") || has(OPT, "-0") ? "\n" : "[ \t\n]+")
	if (insert != "") {
		value = ""
		for (i = 1; i <= items && i <= 12; i++) if (item[i] != "") {
			LEVEL++
			for (start = 1; start <= count; start++) A[LEVEL, start] = filled(A[to, start], insert, item[i])
			if (count) inner_run(LEVEL, 1, count, U)
			LEVEL--
		}
		LEVEL--
		return U
	}
	if (!count) { LEVEL--; return stdin }
	for (i = 1; i <= items && i <= 200; i++) if (item[i] != "") A[to, ++count] = item[i]
	out = inner_run(to, 1, count, U)
	LEVEL--
	return out
}

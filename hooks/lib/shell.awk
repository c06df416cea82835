# Layer 1's reading of a shell command: one tokenizer and one pass, no patterns over raw text.
#
#   awk -f shell.awk -f shell-grammar.awk -f shell-words.awk -f shell-commands.awk -f shell-effects.awk -f shell-programs.awk \
#     shell-effects-files.tsv shell-effects-projects.tsv shell-effects-git.tsv shell-wrappers.tsv - < command
#
# RG_CWD, RG_ROOT, RG_HOME and RG_TMPDIR come from the environment. Prints one finding a line: kind, path, by.
# What it cannot follow it leaves to layer 2: an unknown piece of a value is the character \001, an active glob \002.

FNR == 1 { FILES++ }
FILES <= TABLES { load_rule($0); next }
{ load_line($0) }

END { if (!BATCH) judge_command() }

# Judges the command that was loaded.
function judge_command(    i) {
	if (TOO_LONG) return
	FOUNDS = 0
	ROOT = ENVIRON["RG_ROOT"]; HOME = ENVIRON["RG_HOME"]
	TMP = ENVIRON["RG_TMPDIR"] == "" ? U : ENVIRON["RG_TMPDIR"]
	V["\ncwd"] = V["\nold"] = ENVIRON["RG_CWD"]
	D = P[1] = 1
	commands("", "")
	# The shell would refuse it, or this reading of it is wrong: layer 2 has a full grammar. What is only too much does run.
	if (FAILED || OVER) print "note\tunparsable\t-"
	if (FAILED && !OVER) return
	for (i = 1; i <= FOUNDS; i++) print FOUND[i]
}

BEGIN {
	FS = "\t"; U = "\001"; GLOB = "\002"; GAP = "\003"; OPEN = "\004"; COMMA = "\005"; CLOSE = "\006"
	D = 1; N[1] = STATE = 0; MAX_TEXT = 65536; MAX_STEPS = 2000; MAX_DEPTH = 34; MAX_WRAPPED = 13; TABLES = ARGC - 2
}

# --- text -----------------------------------------------------------------------------------------------------------

# Characters are kept one a cell, so that reading stays linear in every awk.
function load_line(line,    i, n) {
	if (STARTED) C[1, ++N[1]] = "\n"
	STARTED = 1
	n = length(line)
	if (N[1] + n > MAX_TEXT) { TOO_LONG = 1; return }
	for (i = 1; i <= n; i++) C[1, N[1] + i] = substr(line, i, 1)
	N[1] += n
}

# A nested text (bash -c, eval, a function's body) is read like the command itself; returns what it prints.
function run_text(text, stdin,    i, n, out, failed) {
	LAST_FAILED = 0
	if (D >= 12 || text == U || !room(2)) return U
	DEPTH += 2; D++
	n = length(text)
	for (i = 1; i <= n; i++) C[D, i] = substr(text, i, 1)
	N[D] = n; P[D] = 1; HERE_FROM[D] = 0
	failed = FAILED; FAILED = 0
	out = commands("", stdin)
	LAST_FAILED = FAILED; FAILED = failed
	D--; DEPTH -= 2
	return out
}

function ch(ahead) { return P[D] + ahead > N[D] ? "" : C[D, P[D] + ahead] }
function raw(from, to,    i, s) { for (i = from; i <= to && i <= N[D]; i++) s = s C[D, i]; return s }

# Reading stops at what the grammar does not allow; only what was complete before it counts.
function fail() { FAILED = 1; P[D] = N[D] + 1 }

# mawk's stack holds 1024 values: what nests deeper than honest commands do is left to layer 2. `cost` is one for about 30 of them.
function deeper(cost) {
	if ((DEPTH += cost) <= MAX_DEPTH) return 1
	DEPTH -= cost
	OVER = 1
	fail()
	return 0
}

# The same for what is already read: it is passed over, and reading goes on behind it.
function room(cost) {
	if (DEPTH + cost <= MAX_DEPTH) return 1
	OVER = 1
	return 0
}

function blanks(    c) {
	for (;;) {
		c = ch(0)
		if (c == " " || c == "\t") P[D]++
		else if (c == "\\" && ch(1) == "\n") P[D] += 2
		else break
	}
	if (c == "#") while (ch(0) != "" && ch(0) != "\n") P[D]++
}

# Steps over blank lines, and over the here-documents that begin after a newline.
function lines() {
	for (;;) {
		blanks()
		if (ch(0) == "\r" && (ch(1) == "\n" || ch(1) == "")) P[D]++
		else if (ch(0) != "\n") return
		else if (HERE_FROM[D] == P[D] + 1) P[D] = HERE_TO[D]
		else P[D]++
	}
}

# The body of a here-document: from the next line on, or after the one opened before it on this line.
function here_document(delimiter, strip,    at, line, body, first) {
	for (at = P[D]; at <= N[D] && C[D, at] != "\n"; at++) ;
	first = at + 1
	at = HERE_FROM[D] == first ? HERE_TO[D] : first
	while (at <= N[D]) {
		line = ""
		for (; at <= N[D] && C[D, at] != "\n"; at++) if (!(strip && C[D, at] == "\t" && line == "")) line = line C[D, at]
		at++
		if (line == delimiter) break
		body = body line "\n"
	}
	HERE_FROM[D] = first; HERE_TO[D] = at
	return body
}

# --- state: variables, functions and folders, with an undo log for subshells ----------------------------------------------

function set_var(name, value) {
	if (SKIP) return
	LOG_NAME[++STATE] = name; LOG_HAD[STATE] = name in V
	if (name in V) LOG_VALUE[STATE] = V[name]
	V[name] = value
}
function cwd() { return V["\ncwd"] }
function enter(folder,    old) { old = cwd(); set_var("\nold", old); set_var("\ncwd", folder); if (elsewhere() != "") set_var("\nalso", "") }
# Another folder that commands may run in.
function elsewhere() { return "\nalso" in V ? V["\nalso"] : "" }

# Takes back everything since `mark`; returns the names that had changed.
function undo(mark,    name, names) {
	while (STATE > mark) {
		name = LOG_NAME[STATE]
		if (LOG_HAD[STATE]) V[name] = LOG_VALUE[STATE]
		else delete V[name]
		STATE--
		names = names name GAP
	}
	return names
}

# After branches of which one ran: what any of them changed is unknown.
function forget(names,    list, count, i) {
	count = split(names, list, GAP)
	for (i = 1; i < count; i++) set_var(list[i], U)
}


# A local variable is as it was before when its function ends.
function localize(name) {
	if (SKIP || (CALLS, name) in OUTER) return
	LOCALS[CALLS] = LOCALS[CALLS] name GAP
	OUTER[CALLS, name] = name in V ? V[name] : U
}
function end_locals(    list, count, i) {
	count = split(LOCALS[CALLS], list, GAP)
	for (i = 1; i < count; i++) { set_var(list[i], OUTER[CALLS, list[i]]); delete OUTER[CALLS, list[i]] }
	LOCALS[CALLS] = ""
}

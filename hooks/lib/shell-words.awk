# Words: quoting, expansion, and paths.

function word_end(c) { return c == "" || c ~ /[ \t\n;&|<>()]/ }

# A word here: 1 and its value in WV, with WANY telling whether it is one even when empty. `mode` 1: no splitting; 2: a delimiter.
function word_here(mode,    c, v, start, got, piece, any) {
	start = P[D]
	for (;;) {
		c = ch(0)
		if ((c == "<" || c == ">") && ch(1) == "(" && mode != 2) { v = v process(); any = 1 }
		else if (word_end(c)) break
		else if (c == "\\") {
			if (ch(1) != "\n") { v = v ch(1); any = 1 }
			P[D] += 2
		} else if (c == "'") { v = v single(); any = 1 }
		else if (c == "\"") { P[D]++; v = v quoted_until("\""); any = 1 }
		else if (c == "$" && mode != 2) {
			if (ch(1) == "'") { v = v ansi(); any = 1 }
			else if (ch(1) == "\"") P[D]++
			else {
				piece = dollar(0)
				if (mode != 1 && piece ~ /[ \t\n]/) gsub(/[ \t\n]+/, GAP, piece)
				if (piece != "") any = 1
				v = v active_globs(piece)
			}
		} else if (c == "`" && mode != 2) {
			piece = backquoted(0)
			if (mode != 1) gsub(/[ \t\n]+/, GAP, piece)
			if (piece != "") any = 1
			v = v active_globs(piece)
		} else {
			if (c == "~" && P[D] == start && (ch(1) == "/" || word_end(ch(1)))) c = HOME
			else if (c == "~" && P[D] == start) c = ch(1) == "+" ? cwd() : U
			else if (c ~ /[*?[]/) c = GLOB
			else if (c == "{") c = OPEN
			else if (c == ",") c = COMMA
			else if (c == "}") c = CLOSE
			v = v c
			P[D]++
			any = 1
		}
		if (FAILED) return 0
	}
	WV = v; WANY = any
	return P[D] > start
}

function active_globs(s) { gsub(/[*?[]/, GLOB, s); return s }
function plain_braces(s) { gsub(OPEN, "{", s); gsub(COMMA, ",", s); gsub(CLOSE, "}", s); return s }

# Splits a word's value into part[1..n]: fields, then brace expansion.
function fields(v, part, any,    piece, count, i, n) {
	split("", part)
	if (v == "") { if (any) { part[1] = ""; return 1 } return 0 }
	count = split(v, piece, GAP)
	for (i = 1; i <= count; i++) {
		if (piece[i] == "" && count > 1) continue
		n = braces("", piece[i], part, n)
	}
	return n
}

# Appends the brace expansions of head‖s to part; returns the new count.
function braces(head, s, part, n,    from, at, depth, c, last, piece, count, i) {
	from = index(s, OPEN)
	if (!from || n > 60) { part[++n] = plain_braces(head s); return n }
	last = from + 1
	for (at = from; at <= length(s); at++) {
		c = substr(s, at, 1)
		if (c == OPEN) depth++
		else if (c == COMMA && depth == 1) { piece[++count] = substr(s, last, at - last); last = at + 1 }
		else if (c == CLOSE && --depth == 0) {
			piece[++count] = substr(s, last, at - last)
			if (count == 1) return braces(head substr(s, 1, from - 1) "{" plain_braces(piece[1]) "}", substr(s, at + 1), part, n)
			for (i = 1; i <= count; i++) n = braces(head substr(s, 1, from - 1), piece[i] substr(s, at + 1), part, n)
			return n
		}
	}
	return braces(head substr(s, 1, from - 1) "{", substr(s, from + 1), part, n)
}

function single(    s) {
	for (P[D]++; ch(0) != "'"; P[D]++) {
		if (ch(0) == "") { FAILED = 1; return s }
		s = s ch(0)
	}
	P[D]++
	return s
}

function ansi(    s) {
	for (P[D] += 2; ch(0) != "'"; P[D]++) {
		if (ch(0) == "") { FAILED = 1; return s }
		s = s ch(0)
		if (ch(0) == "\\") { P[D]++; s = s ch(0) }
	}
	P[D]++
	return escapes(s)
}

# The backslash escapes of $'…', echo -e and printf.
function escapes(s,    at, out, c, code, n) {
	while ((at = index(s, "\\"))) {
		out = out substr(s, 1, at - 1)
		c = substr(s, at + 1, 1)
		s = substr(s, at + 2)
		if (c == "n") out = out "\n"
		else if (c == "t") out = out "\t"
		else if (c == "x" && s ~ /^[0-9a-fA-F]/) {
			n = s ~ /^[0-9a-fA-F][0-9a-fA-F]/ ? 2 : 1
			out = out printable(hex(substr(s, 1, n))); s = substr(s, n + 1)
		} else if (c ~ /[0-7]/) {
			s = c s
			for (n = 0; n < (c == "0" ? 4 : 3) && substr(s, n + 1, 1) ~ /[0-7]/; n++) ;
			code = substr(s, 1, n); s = substr(s, n + 1)
			out = out printable(octal(code))
		} else if (c ~ /[\\'"?]/) out = out c
		else if (c ~ /[abefrvEuUc]/) out = out U
		else out = out "\\" c
	}
	return out s
}
function hex(s,    i, v) { for (i = 1; i <= length(s); i++) v = v * 16 + index("0123456789abcdef", tolower(substr(s, i, 1))) - 1; return v }
function octal(s,    i, v) { for (i = 1; i <= length(s); i++) v = v * 8 + substr(s, i, 1); return v }
function printable(code) { return code >= 32 && code < 127 ? sprintf("%c", code) : code == 10 ? "\n" : U }

# Double-quoted text up to `end`, or to the end of the text.
function quoted_until(end,    c, s) {
	for (;;) {
		c = ch(0)
		if (c == "") { if (end != "") FAILED = 1; return s }
		if (c == end) { P[D]++; return s }
		if (c == "\\" && ch(1) ~ /[$`"\\\n]/ && ch(1) != "") {
			if (ch(1) != "\n") s = s ch(1)
			P[D] += 2
		} else if (c == "$") s = s dollar(1)
		else if (c == "`") s = s backquoted(1)
		else { s = s c; P[D]++ }
		if (FAILED) return s
	}
}

function backquoted(quoted,    s, c, mark, out) {
	for (P[D]++; (c = ch(0)) != "`"; P[D]++) {
		if (c == "") { FAILED = 1; return "" }
		if (c == "\\" && (ch(1) ~ /[$`\\]/ || quoted && ch(1) == "\"")) { P[D]++; c = ch(0) }
		s = s c
	}
	P[D]++
	mark = STATE
	out = run_text(s, U)
	if (LAST_FAILED) FAILED = 1
	undo(mark)
	sub(/\n+$/, "", out)
	return out
}

function process(    direction, mark, out, path) {
	direction = ch(0)
	if (!deeper(2)) return U
	P[D] += 2
	mark = STATE
	out = commands(")", U)
	undo(mark)
	DEPTH -= 2
	path = "/dev/fd/" (63 + PIPES++)
	if (direction == "<") FILE[path] = out
	return path
}

# An expansion that starts with `$`.
function dollar(quoted,    c, name, op, mark, out, fallback, i) {
	c = ch(1)
	if (c == "(" && ch(2) == "(" && arithmetic(3)) return "0"
	if (c == "[" && arithmetic(2, "]")) return "0"
	if (c == "(") {
		if (!deeper(2)) return U
		P[D] += 2
		mark = STATE
		out = commands(")", U)
		undo(mark)
		DEPTH -= 2
		sub(/\n+$/, "", out)
		return out
	}
	if (c == "{") {
		if (!deeper(1)) return U
		out = braced(quoted)
		DEPTH--
		return out
	}
	if (c ~ /[A-Za-z_]/ && c != "") {
		for (i = 1; ch(i) ~ /[A-Za-z0-9_]/ && ch(i) != ""; i++) name = name ch(i)
	} else if (c ~ /[0-9@*#?$!-]/ && c != "") { name = c; i = 2 }
	else { P[D]++; return "$" }
	P[D] += i
	return lookup(name)
}

# `((…))`, `$((…))`, and with `]` for `closing` `$[…]` and subscripts: substitutions in it run, also in quotes, which only hide
# brackets. Zero when it is something else after all.
function arithmetic(skip, closing,    start, depth, c, quote) {
	start = P[D]; P[D] += skip
	for (;;) {
		c = ch(0)
		if (c == "") { P[D] = start; return 0 }
		if (c == "$") {
			if (!deeper(1)) return 1
			dollar(1)
			DEPTH--
			continue
		}
		if (c == "`") { backquoted(1); continue }
		if (c == "\\") { P[D] += 2; continue }
		if (c == quote) quote = ""
		else if (quote == "" && (c == "'" || c == "\"")) quote = c
		if (quote != "") { P[D]++; continue }
		if (c == (closing == "]" ? "[" : "(")) depth++
		if (c == (closing == "]" ? "]" : ")") && !depth--) {
			if (closing != "]" && ch(1) != ")") { P[D] = start; return 0 }
			P[D] += closing == "]" ? 1 : 2
			return 1
		}
		P[D]++
	}
}

# `[…]=` or `[…]+=` here: consumed.
function subscript(    start) {
	start = P[D]
	if (ch(0) == "[" && arithmetic(1, "]")) {
		if (ch(0) == "=") { P[D]++; return 1 }
		if (ch(0) == "+" && ch(1) == "=") { P[D] += 2; return 1 }
	}
	P[D] = start
	return 0
}

function braced(quoted,    name, c, op, argument, known, first) {
	P[D] += 2
	known = 1
	first = 1
	if (ch(0) == "!" || ch(0) == "#" && ch(1) != "}") { known = 0; P[D]++ }
	while ((c = ch(0)) != "" && (c ~ /[A-Za-z0-9_]/ || first && c ~ /[@*#?$!-]/)) { name = name c; P[D]++; first = 0; if (name ~ /^[@*#?$!-]/) break }
	if (name == "") { FAILED = 1; return U }
	if (ch(0) == "[") {
		if (!(ch(1) ~ /[@*]/ && ch(2) == "]")) known = 0
		if (!arithmetic(1, "]")) { FAILED = 1; return U }
	}
	while ((c = ch(0)) ~ /[:=+?#%\/^,@-]/ && c != "" && length(op) < 2) { op = op c; P[D]++; if (op ~ /^[-=+?@]$/) break }
	# An offset is arithmetic: quotes protect nothing there.
	argument = braced_argument(quoted || op == ":")
	if (!known) return U
	if (op == "") return lookup(name)
	if (op ~ /^:?[-=]$/) {
		c = lookup(name)
		if (c != "" && index(c, U) == 0) return c
		if (op ~ /=$/) set_var(name, argument)
		return argument
	}
	if (op ~ /^:?[+]$/) return argument
	return U
}

function braced_argument(quoted,    c, s) {
	for (;;) {
		c = ch(0)
		if (c == "") { FAILED = 1; return s }
		if (c == "}") { P[D]++; return s }
		if (c == "$") s = s dollar(quoted)
		else if (c == "`") s = s backquoted(quoted)
		else if (c == "\\") { s = s ch(1); P[D] += 2 }
		else if (c == "'" && !quoted) s = s single()
		else if (c == "\"") { P[D]++; s = s quoted_until("\"") }
		else { s = s c; P[D]++ }
		if (FAILED) return s
	}
}

# A variable's value, as far as it is known.
function lookup(name) {
	if (BEFORE && changed_since(name, BEFORE)) return U
	if (name ~ /^([?#$!]|RANDOM|SECONDS|LINENO|UID|EUID|PPID|BASHPID|EPOCHSECONDS|SHLVL)$/) return "0"
	if (name == "0") return "bash"
	if (name == "PWD") return AT_FOLDER != "" ? AT_FOLDER : cwd()
	if (name == "OLDPWD") return V["\nold"]
	if (name == "@" || name == "*") return "\nargs" in V ? V["\nargs"] : U
	if (name ~ /^[1-9]$/) return "\nargs" in V ? nth(V["\nargs"], name) : U
	if (name in V) return V[name]
	if (name == "HOME") return HOME
	if (name == "TMPDIR") return TMP
	if (name == "CLAUDE_PROJECT_DIR") return ROOT
	if (name == "IFS") return " "
	return U
}
function nth(items, n,    part) { return split(items, part, GAP) >= n ? part[n] : "" }

# A here-document's body: `$` and backquotes act.
function here_text(body,    i, n, value) {
	if (body !~ /[$`\\]/) return body
	if (D >= 12) return U
	D++
	n = length(body)
	for (i = 1; i <= n; i++) C[D, i] = substr(body, i, 1)
	N[D] = n; P[D] = 1; HERE_FROM[D] = 0
	value = quoted_until("")
	D--
	return value
}

# --- paths ------------------------------------------------------------------------------------------------------------

# A target as seen from `folder`; empty when where it lies cannot be seen.
function absolute(target, folder) {
	if (target ~ /^\//) return target
	if (substr(target, 1, 1) == U || folder !~ /^\//) return ""
	return folder "/" target
}

function normal(path,    part, count, i, kept, n, s) {
	count = split(path, part, "/")
	for (i = 1; i <= count; i++) {
		if (part[i] == "..") { if (n) n-- }
		else if (part[i] != "" && part[i] != ".") kept[++n] = part[i]
	}
	for (i = 1; i <= n; i++) s = s "/" kept[i]
	return s == "" ? "/" : s
}

function within(path, folder) { return path == folder || index(path, folder "/") == 1 }

# Judges a written path and prints a candidate. Links are followed later, in bash: `?` marks what only a link could lead into the tree.
function judge(target, by, kind, deep, folder,    full, path, part, count, i, prefix, exact) {
	if (SKIP || target == "") return
	if (elsewhere() != "" && folder == cwd() && elsewhere() != folder && target !~ /^\//) judge(target, by, kind, deep, elsewhere())
	full = absolute(target, folder)
	if (full == "") return
	exact = 1
	if (index(full, U) || index(full, GLOB)) {
		exact = 0
		count = split(full, part, "/")
		for (i = 1; i <= count; i++) {
			if (index(part[i], U) || index(part[i], GLOB)) break
			prefix = prefix (i > 1 ? "/" : "") part[i]
		}
		full = prefix == "" ? "/" : prefix
	}
	path = normal(full)
	if (index(path, HOME "/.claude/settings") == 1 && path ~ /\/settings[^\/]*[.]json$/) { finding("hooks-off", full, by); return }
	if (deep && exact && within(ROOT, path)) { finding("tree", full, by); return }
	if (!within(path, ROOT)) {
		if (path !~ /^\/(dev|proc|sys)\// || path ~ /^\/dev\/shm\//) finding("?", full, by) # /dev/shm is a folder like any other
		return
	}
	path = substr(path, length(ROOT) + 2)
	if (path ~ /^[.]readygate(\/|$)/) kind = "guard"
	else if (path ~ /^[.]git$|^[.]git\/hooks(\/|$)/) kind = "hooks-off"
	else if (path ~ /^[.]claude\/settings[^\/]*[.]json$/) kind = "hooks-off"
	else if (path ~ /^[.]git\/index([.]lock)?$/) kind = "git-index"
	else if (path ~ /^[.]git\/config([.][A-Za-z0-9_]+)?$/) kind = "git-config"
	else if (path ~ /^[.]git\//) kind = "git-refs"
	else {
		count = split(path, part, "/")
		for (i = 1; i <= count; i++) if (part[i] in IGNORED) return
	}
	finding(kind, full, by)
}

# A write to the repository of `folder`.
function repository(kind, by, folder) {
	if (elsewhere() != "" && folder == cwd() && elsewhere() != folder) repository(kind, by, elsewhere())
	# Where it runs there, it is the tree around that it would write.
	if (kind == "tree") sub(/\/[.]git(\/.*)?$/, "", folder)
	if (!SKIP && folder ~ /^\// && !index(folder, U)) finding(within(normal(folder), ROOT) ? kind : "?" kind, folder, by)
}

function finding(kind, path, by,    key) {
	if (SKIP) return
	gsub(/[\n\t]/, " ", path)
	key = kind "\t" path "\t" by
	if (key in SEEN) return
	SEEN[key] = 1
	FOUND[++FOUNDS] = key
}

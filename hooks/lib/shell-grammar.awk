# Lists and compound commands: read by bash's grammar and judged while being read.
# Where layer 2 joins what branches leave behind, this layer forgets it.

BEGIN {
	split("then else elif fi do done esac }", closer, " ")
	for (i in closer) CLOSER[closer[i]] = 1
	split("if for select while until case function coproc time ! { [[", opener, " ")
	for (i in opener) OPENER[opener[i]] = 1
	# What does not fail in practice; layer 2 looks more closely.
	split("true : echo printf export declare typeset local readonly set shopt unset alias trap umask mktemp pwd date sleep cd pushd popd mkdir rm command builtin", reliable, " ")
	for (i in reliable) RELIABLE[reliable[i]] = 1
}

# The unquoted word here if it could be a reserved one.
function reserved(    i, c, s) {
	for (i = 0; i < 9; i++) {
		c = ch(i)
		if (c == "" || c ~ /[ \t\r\n;&|()<>]/) break
		s = s c
	}
	return i < 9 && (s in CLOSER || s in OPENER || s == "in") ? s : ""
}

function expect(word) {
	lines()
	if (reserved() != word) fail()
	else P[D] += length(word)
}

# Whether the list ends here; only a parenthesis is consumed.
function closes(closing,    word) {
	if (closing == ")") {
		if (ch(0) == "") { FAILED = 1; return 1 }
		if (ch(0) != ")") return 0
		P[D]++
		return 1
	}
	if (ch(0) == "") { if (closing != "") FAILED = 1; return 1 }
	if (ch(0) == ";" && ch(1) ~ /[;&]/) { if (closing != "arm") fail(); return 1 }
	word = reserved()
	if (!(word in CLOSER)) return 0
	if (closing == "") fail()
	return 1
}

# Commands up to `closing`; returns what they print.
function commands(closing, stdin,    out, mark, found, state, operator, sure, from, before, also, exits) {
	for (;;) {
		lines()
		if (FAILED || closes(closing)) return out
		mark = STATE; operator = also = from = ""; sure = 1; exits = EXITS
		for (;;) {
			found = FOUNDS; state = STATE; before = cwd(); SURE = 1
			out = out pipeline(stdin)
			if (FAILED) {
				# The shell would have run nothing of it.
				while (FOUNDS > found) delete SEEN[FOUND[FOUNDS--]]
				undo(state)
				return out
			}
			# A `cd` that stands behind what may fail may not have run. `from` is where that was.
			if (cwd() != before && operator != "") also = operator == "|" ? before : from != "" ? from : also
			sure = operator == "|" ? sure || SURE : sure && SURE
			from = sure ? "" : from == "" ? cwd() : from
			blanks()
			if (!(ch(0) ~ /[&|]/ && ch(0) == ch(1))) break
			operator = ch(0)
			P[D] += 2
			lines()
		}
		# What follows a condition or a group follows its success.
		if (also != "" && closing == "" && exits == EXITS) set_var("\nalso", also)
		if (length(out) > 8192) out = substr(out, 1, 8192)
		if (ch(0) == ";" && ch(1) !~ /[;&]/) P[D]++
		else if (ch(0) == "&") { P[D]++; undo(mark) }
		else if (ch(0) != "\n" && ch(0) != "\r" && ch(0) != "") {
			if (!closes(closing)) fail()
			return out
		}
	}
}

function pipeline(stdin,    mark, out, piped, i) {
	for (;;) {
		if (reserved() == "!") P[D]++
		else if (reserved() == "time" && time_compound()) P[D] = TIMED
		else break
		blanks()
	}
	mark = STATE
	out = compound(stdin)
	for (blanks(); !FAILED && ch(0) == "|" && ch(1) != "|"; blanks()) {
		P[D] += ch(1) == "&" ? 2 : 1
		lines()
		undo(mark)
		out = compound(out)
		piped = 1
	}
	if (piped) { undo(mark); SURE = 0 }
	return out
}

# `time` before what only the grammar knows is a keyword; before a simple command it is a wrapper like others. TIMED is where that begins.
function time_compound(    at, word) {
	at = P[D]
	P[D] += 4; blanks()
	if (ch(0) ch(1) == "-p" && ch(2) ~ /[ \t]/) { P[D] += 2; blanks() }
	if (ch(0) ch(1) == "--" && ch(2) ~ /[ \t]/) { P[D] += 2; blanks() }
	word = ch(0) == "(" ? "(" : reserved()
	TIMED = P[D]
	P[D] = at
	return word == "(" || word in OPENER
}

function compound(stdin,    word, mark, out, folder) {
	if (!deeper(1)) return ""
	mark = STATE; folder = cwd()
	word = reserved()
	if (ch(0) == "(" && ch(1) == "(" && arithmetic(2)) after_compound(mark, folder)
	else if (ch(0) == "(") {
		P[D]++
		out = commands(")", stdin)
		undo(mark)
		after_compound(mark, folder)
	} else if (word in CLOSER) fail()
	else if (word == "{") { P[D]++; out = commands("}", stdin); expect("}"); after_compound(mark, folder) }
	else if (word == "if") { out = if_command(stdin); after_compound(mark, folder) }
	else if (word == "while" || word == "until") {
		P[D] += 5
		out = commands("do", stdin); out = out do_group(stdin)
		after_compound(mark, folder)
	} else if (word == "for" || word == "select") { out = for_command(word, stdin); after_compound(mark, folder) }
	else if (word == "case") { out = case_command(stdin); after_compound(mark, folder) }
	else if (word == "[[") { test(); after_compound(mark, folder) }
	else if (word == "function") function_keyword()
	else if (word == "coproc") { P[D] += 6; blanks(); out = compound(stdin); undo(mark) }
	else { out = simple(stdin); DEPTH--; return out }
	SURE = word != "[["
	DEPTH--
	return out
}

# Redirections after a compound command see the state from before it.
function after_compound(mark, folder,    outer) {
	outer = BEFORE; BEFORE = mark + 1
	AT_FOLDER = folder
	while (!FAILED && redirect()) ;
	BEFORE = outer; AT_FOLDER = ""
}

function changed_since(name, mark,    i) {
	for (i = STATE; i >= mark; i--) if (LOG_NAME[i] == name) return 1
	return 0
}

function do_group(stdin,    out) {
	expect("do"); out = commands("done", stdin); expect("done")
	return out
}

function if_command(stdin,    out, names, mark, word) {
	P[D] += 2
	for (;;) {
		out = out commands("then", stdin)
		expect("then")
		mark = STATE
		out = out commands("fi", stdin)
		names = names undo(mark)
		lines()
		word = reserved()
		if (word == "elif") { P[D] += 4; continue }
		if (word == "else") {
			P[D] += 4; mark = STATE
			out = out commands("fi", stdin)
			names = names undo(mark)
		}
		expect("fi")
		forget(names)
		return out
	}
}

function for_command(word, stdin,    name, c, n, first, last, out, i, part, mark, count) {
	P[D] += length(word); blanks()
	if (ch(0) == "(" && ch(1) == "(") {
		if (!arithmetic(2)) fail()
		blanks()
		if (ch(0) == ";") P[D]++
		lines()
		return reserved() == "{" ? compound(stdin) : do_group(stdin)
	}
	while ((c = ch(0)) ~ /[A-Za-z0-9_]/ && c != "") { name = name c; P[D]++ }
	if (name == "") { fail(); return "" }
	lines()
	if (reserved() == "in") {
		P[D] += 2
		for (blanks(); word_here(); blanks()) {
			count = fields(WV, part, WANY)
			for (i = 1; i <= count; i++) {
				if (++n == 1) first = part[i]
				last = part[i]
			}
		}
	} else { n = 1; first = last = U }
	if (ch(0) == ";") P[D]++
	lines()
	mark = STATE + 0
	if (n) set_var(name, first)
	else SKIP++
	out = reserved() == "{" ? compound(stdin) : do_group(stdin)
	# Only the first round was judged; what further rounds leave behind is unknown.
	if (n > 1) {
		count = STATE + 0
		for (i = mark + 1; i <= count; i++) set_var(LOG_NAME[i] "", U)
	}
	if (n) set_var(name, last)
	else SKIP--
	return out
}

function case_command(stdin,    out, names, mark) {
	P[D] += 4; blanks()
	if (!word_here()) { fail(); return "" }
	expect("in")
	for (;;) {
		lines()
		if (FAILED || reserved() == "esac") break
		if (ch(0) == "(") P[D]++
		for (blanks(); ch(0) != ")"; blanks()) {
			if (ch(0) == "|") P[D]++
			else if (!word_here()) { fail(); return out }
		}
		P[D]++
		mark = STATE
		out = out commands("arm", stdin)
		names = names undo(mark)
		if (ch(0) == ";") P[D] += ch(1) == ";" && ch(2) == "&" ? 3 : 2
		else if (reserved() != "esac") fail()
	}
	if (!FAILED) P[D] += 4
	forget(names)
	return out
}

# `[[ … ]]`: only its substitutions act.
function test() {
	P[D] += 2
	for (;;) {
		lines()
		if (FAILED || ch(0) == "") { fail(); return }
		if (ch(0) == "]" && ch(1) == "]" && (ch(2) == "" || ch(2) ~ /[ \t\r\n;&|()<>]/)) break
		if (!word_here()) P[D]++
	}
	P[D] += 2
}

function function_keyword(    name) {
	P[D] += 8; blanks()
	while (ch(0) != "" && ch(0) !~ /[ \t\n(){};&|<>]/) { name = name ch(0); P[D]++ }
	blanks()
	if (ch(0) == "(" && ch(1) == ")") P[D] += 2
	function_body(name)
}

# A definition runs nothing; the body is kept for a call.
function function_body(name,    from) {
	lines()
	from = P[D]
	if (!deeper(1)) return
	SKIP++
	compound("")
	SKIP--; DEPTH--
	set_var("\nf:" name, raw(from, P[D] - 1))
}

# --- simple commands --------------------------------------------------------------------------------------------------

function simple(stdin,    lv, n, name, append, mark, part, count, i, out, to, given, start, value, assigned, waiting) {
	lv = ++LEVEL
	mark = STATE; start = P[D]; to = TO_FILE; given = INPUT; TO_FILE = ""; INPUT = GAP
	for (;;) {
		blanks()
		if (FAILED) break
		if (redirect()) continue
		if (!n && (name = assignment()) != "") {
			append = substr(name, length(name)) == "+"
			sub(/[+]$/, "", name)
			if (ch(0) == "(") value = array_items()
			else value = word_here(1) ? plain_braces(WV) : ""
			set_var(name, append && name in V ? V[name] value : value)
			NAME[lv, ++assigned] = name; VALUE[lv, assigned] = append && name in V ? V[name] : value
			continue
		}
		# The words are expanded before the assignments in front of them count.
		if (!n && assigned && !waiting) { undo(mark); waiting = 1 }
		if (!word_here()) {
			if (ch(0) != "(") break
			if (n == 1 && function_head()) { LEVEL--; TO_FILE = to; INPUT = given; function_body(A[lv, 1]); return "" }
			if (n > 1 && A[lv, n] ~ /^[A-Za-z_][A-Za-z0-9_]*=$/) {
				name = A[lv, n--]; sub(/=$/, "", name)
				set_var(name, array_items())
				continue
			}
			fail()
			break
		}
		count = fields(WV, part, WANY)
		for (i = 1; i <= count && n < 400; i++) A[lv, ++n] = part[i]
	}
	if (P[D] == start && !FAILED) fail()
	if (FAILED) n = 0
	if (INPUT != GAP) stdin = INPUT
	if (waiting) for (i = 1; i <= assigned; i++) set_var(NAME[lv, i], VALUE[lv, i])
	if (n) {
		out = run(lv, 1, n, stdin, 1)
		# `A=b command` sets A for the command only.
		if (STATE > mark && !(A[lv, 1] ~ /^(cd|pushd|popd|export|declare|typeset|local|readonly|read|set|shift|eval|unset|printf|alias|source|\.|command|builtin|trap|mapfile|readarray|hash)$/) && !(("\nf:" A[lv, 1]) in V)) undo(mark)
	} else out = ""
	if (TO_FILE != "") { FILE[TO_FILE] = out; out = "" }
	TO_FILE = to; INPUT = given
	SURE = !n || A[lv, 1] in RELIABLE || A[lv, 1] == "git" && A[lv, 2] == "init"
	LEVEL--
	return out
}

function function_head(    at) {
	for (at = 1; ch(at) == " "; at++) ;
	if (ch(at) != ")") return 0
	P[D] += at + 1
	return 1
}

# `name=`, `name+=` or `name[i]=` here: consumed, and the name is returned.
function assignment(    i, c, name) {
	for (i = 0; (c = ch(i)) != "" && c ~ /[A-Za-z0-9_]/; i++) name = name c
	if (name == "" || name ~ /^[0-9]/) return ""
	if (c == "[") {
		P[D] += i
		if (subscript()) return name "+"
		P[D] -= i
		return ""
	}
	if (c == "+") { i++; c = ch(i); name = name "+" }
	if (c != "=") return ""
	P[D] += i + 1
	return name
}

function array_items(    items, part, i, count) {
	P[D]++
	for (lines(); !FAILED && ch(0) != ")"; lines()) {
		if (!(subscript() + word_here())) { fail(); break }
		count = fields(WV, part, WANY)
		for (i = 1; i <= count; i++) items = items (items == "" ? "" : GAP) part[i]
	}
	P[D]++
	return items
}

# One redirection, judged at once; 1 when there was one.
function redirect(    i, fd, op, delimiter, quoted, body, c, part, count, from, target, path) {
	blanks()
	c = ch(0)
	if (c !~ /[<>&0-9{]/ || c == "") return 0
	for (i = 0; ch(i) ~ /[0-9]/ && ch(i) != ""; i++) fd = fd ch(i)
	if (c == "{") { for (i = 1; ch(i) ~ /[A-Za-z0-9_]/ && ch(i) != ""; i++) ; if (ch(i++) != "}") return 0; fd = "x" }
	c = ch(i)
	if (c == "&" && ch(i + 1) == ">" && fd == "") op = ch(i + 2) == ">" ? "&>>" : "&>"
	else if (c == "<") op = ch(i + 1) == "<" ? (ch(i + 2) == "<" ? "<<<" : ch(i + 2) == "-" ? "<<-" : "<<") : ch(i + 1) == ">" ? "<>" : ch(i + 1) == "&" ? "<&" : "<"
	else if (c == ">") op = ch(i + 1) == ">" ? ">>" : ch(i + 1) == "|" ? ">|" : ch(i + 1) == "&" ? ">&" : ">"
	else return 0
	if ((op == "<" || op == ">") && ch(i + 1) == "(") return 0
	P[D] += i + length(op)
	blanks()
	from = P[D]
	if (op == "<<" || op == "<<-") {
		if (!word_here(2)) { fail(); return 1 }
		delimiter = raw(from, P[D] - 1)
		quoted = delimiter ~ /['"\\]/
		gsub(/\\/, "", delimiter); gsub(/[$]?['"]/, "", delimiter)
		body = here_document(delimiter, op == "<<-")
		INPUT = quoted ? body : here_text(body)
		return 1
	}
	if (!word_here()) { fail(); return 1 }
	if (op == "<<<") { INPUT = plain_braces(WV) "\n"; gsub(GAP, " ", INPUT); return 1 }
	count = fields(WV, part, 1)
	for (i = 1; i <= count; i++) {
		target = part[i]
		if (op == "<&" || op == ">&" && target ~ /^([0-9]+-?|-)$/) continue
		path = absolute(target, AT_FOLDER != "" ? AT_FOLDER : cwd())
		if (op == "<") { INPUT = normal(path) in FILE ? FILE[normal(path)] : U; continue }
		judge(target, op, "tree", 0, AT_FOLDER != "" ? AT_FOLDER : cwd())
		if (path != "" && op != "<>" && (fd == "" || fd == "1")) TO_FILE = normal(path)
	}
	return 1
}

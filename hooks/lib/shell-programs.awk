# Programs in other languages on the command line.

# --- sed and awk --------------------------------------------------------------------------------------------------------------

function sed(lv, from, n, stdin,    i, to, count, list, total, program, first) {
	to = ++LEVEL
	# BSD's `-i ''` has its suffix in a word of its own.
	for (i = from + 1; i <= n; i++) if (!(A[lv, i] == "" && A[lv, i - 1] ~ /^-[A-Za-z]*i$/)) A[to, ++count] = A[lv, i]
	options(to, 1, count, "", "-e -f -l --expression --file --line-length", "-i", "-e -f -l -i --expression --file --line-length --in-place", "", 0)
	LEVEL--
	if (any_option("--help --version")) return U
	total = option_values("-e --expression", list, 0)
	for (i = 1; i <= total; i++) program = program list[i] "\n"
	first = 1
	if (!total && !any_option("-f --file")) { program = OPERAND[1]; first = 2 }
	if (any_option("-i --in-place")) for (i = first; i <= OPERANDS; i++) judge(OPERAND[i], "sed -i", "tree", 0, cwd())
	total = option_values("-f --file", list, 0)
	for (i = 1; i <= total; i++) program = program "\n" written(list[i], stdin)
	sed_program(plain(program))
	return passed(stdin)
}

# The text of a program's file: what the command itself has written, or what comes in.
function written(file, stdin,    path) {
	if (file == "-" || file == "/dev/stdin") return stdin == U ? "" : plain(stdin)
	path = absolute(file, cwd())
	return path != "" && normal(path) in FILE && FILE[normal(path)] != U ? plain(FILE[normal(path)]) : ""
}

# The `w` commands and flags of a sed program.
function sed_program(s,    at, c, close_char, flag) {
	at = 1
	while (at <= length(s)) {
		c = substr(s, at++, 1)
		if (c ~ /[ \t\n;{}!,$+~0-9]/) continue
		if (c == "#" || c ~ /[rR]/) at = line_stop(s, at)
		else if (c ~ /[aic]/) {
			# The text goes on while its lines end in a backslash.
			for (at = line_stop(s, at); substr(s, at - 1, 1) == "\\" && at < length(s); at = line_stop(s, at + 1)) ;
		}
		else if (c == "/" || c == "\\") {
			if (c == "\\") c = substr(s, at++, 1)
			at = after(s, at, c)
			while (substr(s, at, 1) ~ /[IM]/ && at <= length(s)) at++
		} else if (c == "s" || c == "y") {
			close_char = substr(s, at++, 1)
			at = after(s, after(s, at, close_char), close_char)
			while (c == "s" && (flag = substr(s, at, 1)) ~ /[a-zA-Z0-9]/ && flag != "") {
				at++
				if (flag == "w") { sed_file(s, at); at = line_stop(s, at); break }
			}
		} else if (c == "w" || c == "W") { sed_file(s, at); at = line_stop(s, at) }
		else if (c == "e") at = line_stop(s, at)
		else if (c ~ /[btT:]/) while (at <= length(s) && substr(s, at, 1) !~ /[;\n}]/) at++
	}
}
function sed_file(s, at,    name) { name = substr(s, at, line_stop(s, at) - at); sub(/^[ \t]+/, "", name); sub(/[ \t]+$/, "", name); judge(name, "sed w", "tree", 0, cwd()) }
function line_stop(s, at,    stop) { stop = index(substr(s, at), "\n"); return stop ? at + stop - 1 : length(s) + 1 }
# The position after the next unescaped `close_char`, brackets of a regular expression skipped.
function after(s, at, close_char,    c, bracket, start) {
	start = at
	for (; at <= length(s); at++) {
		c = substr(s, at, 1)
		if (c == "\\") at++
		else if (c == "[" && close_char == "/") bracket = 1
		else if (c == "]") bracket = 0
		else if (c == close_char && !bracket) return at + 1
	}
	if (!bracket) return length(s) + 2
	for (at = start; at <= length(s); at++) {
		c = substr(s, at, 1)
		if (c == "\\") at++
		else if (c == close_char) return at + 1
	}
	return length(s) + 2
}

function awk_command(lv, from, n, stdin,    first, i, list, total, program, inplace) {
	options(lv, from + 1, n, "", "-F -v -f -i -l --field-separator --assign --file --include -o -d -E --exec", "", "-F -v -f -i -l --field-separator --assign --file --include -o -d -E --exec", "", 0)
	first = 1
	if (!any_option("-f --file -E")) { program = plain(OPERAND[1]); first = 2 }
	else { total = option_values("-f --file -E", list, 0); for (i = 1; i <= total; i++) program = program written(list[i], stdin) "\n" }
	total = option_values("-i --include", list, 0)
	for (i = 1; i <= total; i++) if (list[i] == "inplace") inplace = 1
	if (inplace) for (i = first; i <= OPERANDS; i++) judge(OPERAND[i], "awk -i inplace", "tree", 0, cwd())
	awk_program(program)
	return passed(stdin)
}

# `print > "file"` with a plain name, and `system("command")`.
function awk_program(s,    at, c, word, printing, depth, rest, text) {
	for (at = 1; at <= length(s); at++) {
		c = substr(s, at, 1)
		if (c == "\"") at = string_stop(s, at, "\"")
		else if (c == "#") at = line_stop(s, at) - 1
		else if (c == "/" && (at == 1 || substr(s, at - 1, 1) ~ /[ \t\n(,!~{;&|]/)) { rest = string_stop(s, at, "/"); if (index(substr(s, at, rest - at), "\n") == 0 && rest <= length(s)) at = rest }
		else if (c ~ /[A-Za-z_]/) {
			word = ""
			while (substr(s, at, 1) ~ /[A-Za-z0-9_]/ && at <= length(s)) word = word substr(s, at++, 1)
			at--
			if (word == "print" || word == "printf") { printing = 1; depth = 0 }
			if (word == "system" && (rest = substr(s, at + 1)) ~ /^[ \t]*\([ \t]*"[^"\\]*"[ \t]*\)/) { sub(/^[^"]*"/, "", rest); inner(substr(rest, 1, index(rest, "\"") - 1), U) }
		} else if (c ~ /[([]/) depth++
		else if (c ~ /[])]/) depth--
		else if (c ~ /[;}\n]/) printing = 0
		else if (printing && !depth && (c == ">" || c == "|" && substr(s, at + 1, 1) != "|")) {
			if (substr(s, at + 1, 1) == ">") at++
			rest = substr(s, at + 1)
			if (c == ">" && (rest ~ /^[ \t]*\(?[ \t]*\$[0-9A-Za-z_]/ || from_field(s, rest))) judge("./" U, "awk >", "tree", 0, cwd())
			if (rest !~ /^[ \t]*"[^"\\]*"[ \t]*([;}\n]|$)/) continue
			sub(/^[^"]*"/, "", rest)
			text = substr(rest, 1, index(rest, "\"") - 1)
			if (c == "|") inner(text, U)
			else judge(text, "awk >", "tree", 0, cwd())
		}
	}
}
# Whether a name is set once, to something that begins with a field.
function from_field(s, name) {
	if (!match(name, /^[ \t]*[A-Za-z_][A-Za-z0-9_]*[ \t]*([;}\n]|$)/)) return 0
	name = substr(name, 1, RLENGTH)
	gsub(/[ \t;}\n]/, "", name)
	if (!match(s, "(^|[^A-Za-z0-9_])" name "[ \t]*=[ \t]*[$][0-9A-Za-z_]")) return 0
	s = substr(s, 1, RSTART) "\n" substr(s, RSTART + RLENGTH)
	return s !~ ("(^|[^A-Za-z0-9_])" name "[ \t]*=[^=]")
}
# The position of the quote that ends a string.
function string_stop(s, at, quote,    c) {
	for (at++; at <= length(s) && (c = substr(s, at, 1)) != quote; at++) if (c == "\\") at++
	return at
}

# A filter over a listing of files still prints parts of it.
function passed(stdin) { return index(stdin, "/" U) ? stdin : U }

# --- interpreters ---------------------------------------------------------------------------------------------------------------

function interpreter(lv, from, n, stdin, name,    cell, values, program, i, list, total, path, at, language, line_wise) {
	split(RULE[LANGUAGE_OF[name]], cell, "\t")
	language = cell[23]
	at = from + 1
	if (name == "deno" || name == "bun") {
		if (A[lv, at] == "run") at++
		else if (A[lv, at] == "eval") { program = A[lv, n]; inline(program, cell); return U }
	}
	if (language == "python") for (i = at; i <= n && A[lv, i] ~ /^-/; i++) if (A[lv, i] == "-m") {
		if (i < n && A[lv, i + 1] in RULES_OF) return inner_run(lv, i + 1, n, stdin)
		return U
	}
	values = without(cell[6] " " cell[12], cell[7])
	line_wise = language == "perl" || language == "ruby"
	# `-0xFFpe`: the digits of a separator are no options.
	if (line_wise) for (i = at; i <= n; i++) if (match(A[lv, i], /^-[lnpaswW0-7]*0[xX][0-9A-Fa-f]+/)) { path = substr(A[lv, i], 1, RLENGTH); sub(/[xX].*$/, "", path); A[lv, i] = path substr(A[lv, i], RLENGTH + 1) }
	options(lv, at, n, "mixed", values, cell[7], cell[6] " " cell[12] " " cell[7], "", !line_wise)
	# `-l` checks in PHP; in perl and ruby it is about the ends of lines.
	for (i = split("-c --check -v --version -V" (line_wise ? "" : " -l"), list, " "); i > 0; i--) if (!has(cell[12], list[i]) && has(OPT, list[i])) return U
	total = option_values(cell[12], list, 0)
	for (i = 1; i <= total; i++) program = program (i > 1 ? "\n" : "") list[i]
	if (line_wise && has(OPT, "-i")) for (i = total ? 1 : 2; i <= OPERANDS; i++) judge(OPERAND[i], name " -i", "tree", 0, cwd())
	if (total) inline(program, cell)
	else if (!OPERANDS || OPERAND[1] == "-") { if (stdin != "" && stdin != U) inline(stdin, cell) }
	# A framework's own commands, which are rules by the name of its program. Its operands are the last arguments.
	else if (!line_wise && OPERAND[1] ~ /(^|\/)(manage[.]py|artisan|console)$/) return inner_run(lv, n - OPERANDS + 1, n, stdin)
	else {
		path = absolute(OPERAND[1], cwd())
		if (path != "") started(normal(path), name)
		if (path != "" && normal(path) in FILE) inline(FILE[normal(path)], cell)
	}
	return U
}

# The calls of a program that write to a file named by a plain string; everything else is layer 2's.
function inline(code, cell,    language, rule, count, i, part, mark) {
	if (code == "" || code == U || index(code, "\001") || length(code) > 20000) return
	code = plain(code)
	language = cell[23]
	mask(code, language)
	mark = STATE
	# From when on it is elsewhere is layer 2's to say.
	if (MASK ~ /(^|[^A-Za-z0-9_])(os|process)[.]chdir *[(]/) enter(U)
	count = split(cell[24], rule, " ")
	for (i = 1; i <= count; i++) {
		split(rule[i], part, ":")
		if (part[1] !~ /`/) calls_of(code, part[1], part[2], part[3], language)
	}
	if (language == "perl") quoted_commands(code)
	undo(mark)
}

# `qx{command}` of perl.
function quoted_commands(code,    from, rest, stop) {
	for (from = 1; match(substr(MASK, from), /(^|[^A-Za-z0-9_$@%&>-])qx *[({\/]/); ) {
		from += RSTART + RLENGTH - 1
		rest = substr(code, from)
		if ((stop = index(rest, translated(substr(code, from - 1, 1)))) && substr(rest, 1, stop - 1) !~ /[$@`\\({]/) inner(substr(rest, 1, stop - 1), U)
	}
}
function translated(open) { return open == "(" ? ")" : open == "{" ? "}" : open }

# MASK: the program with strings and comments blanked, position for position.
function mask(code, language,    at, c, stop, n, triple, q) {
	MASK = ""
	n = length(code)
	for (at = 1; at <= n; at++) {
		c = substr(code, at, 1)
		stop = 0
		if (c == "#" && language != "node" && (language != "perl" || at == 1 || substr(code, at - 1, 1) ~ /[ \t\n;]/)) stop = line_stop(code, at) - 1
		else if (c == "/" && substr(code, at + 1, 1) == "/" && (language == "node" || language == "php") && substr(code, at - 1, 1) != ":") stop = line_stop(code, at) - 1
		else if (c == "\"" || c == "'" || c == "`" && language != "python") {
			triple = c c c
			if (language == "python" && substr(code, at, 3) == triple) {
				stop = index(substr(code, at + 3), triple)
				stop = stop ? at + 3 + stop + 1 : n
			} else stop = string_stop(code, at, c)
			if (stop > n) stop = n
			MASK = MASK c blank(stop - at - 1) c
			at = stop
			continue
		}
		if (stop) { MASK = MASK blank(stop - at + 1); at = stop }
		else MASK = MASK c
	}
}
function blank(n,    s) { while (n-- > 0) s = s " "; return s }

function calls_of(code, path, target, condition, language,    at, from, name, before, open_at, close_at, arg, count, i, owner, text) {
	owner = path; name = path
	if (path ~ /[.]/ && language != "r") { sub(/[.][^.]*$/, "", owner); sub(/^.*[.]/, "", name) } else owner = ""
	if (target ~ /^[!.>]$/ || target == "file" || condition == "inplace") return
	from = 1
	while ((at = index(substr(MASK, from), name))) {
		at += from - 1
		from = at + length(name)
		if (at > 1 && substr(MASK, at - 1, 1) ~ /[A-Za-z0-9_$]/) continue
		open_at = from
		while (substr(MASK, open_at, 1) == " ") open_at++
		if (substr(MASK, open_at, 1) != "(") continue
		before = substr(MASK, 1, at - 1)
		if (owner == "" && (target == "$" || name == "open") && before ~ /[.]$/ && substr(code, 1, at - 1) !~ /child_process.?.?[)][.]$|[^A-Za-z0-9_]cp[.]$/) continue
		if (owner != "" && path ~ /^[.]/ ? 0 : owner != "" && owner != "Path" && !ends_with(before, owner)) continue
		if (path ~ /^[.]/ && before !~ /[.]$/) continue
		count = arguments(code, open_at, arg)
		if (condition ~ /^mode=/ && !write_mode(code, arg[substr(condition, 6) + 1], language)) continue
		if (condition == "sql" && !changes_data(arg[1], code)) continue
		if (condition == "shelf" && count > 1) continue
		if (condition == "one" && count != 1) continue
		if (target == "@") { receiver(code, at - 1, name, language, condition == "one"); continue }
		if (owner == "Path") continue
		if (target == "$") { started_in(code, arg, count, language, at); continue }
		for (i = 1; i <= length(target); i++) {
			text = string_of(arg[substr(target, i, 1) + 1])
			if (text == GAP) text = constant(code, arg[substr(target, i, 1) + 1])
			if (text != GAP) judge(text, language " " name, "tree", 0, cwd())
		}
	}
}

# A command that a program starts, in the folder that its arguments name.
function started_in(code, arg, count, language, at,    i, mark, folder, text, to, words) {
	mark = STATE
	# Options in a variable are layer 2's to read.
	if (language == "node" && count > 1 && arg[count] ~ /^[ ]*[A-Za-z_][A-Za-z0-9_]*[ ]*$/ && MASK ~ /[^A-Za-z0-9_]cwd[^A-Za-z0-9_]/) enter(U)
	text = arg[1]
	sub(/^[ \t\n]*(args|cmd)[ \t]*=/, "", text)
	for (i = 2; i <= count; i++) {
		if (!match(arg[i], /(^|[{,])[ \t\n]*['"]?(cwd|chdir)['"]?[ \t]*([:=]>?|[,}])[ \t]*/)) continue
		folder = substr(arg[i], RSTART + RLENGTH)
		sub(/[ \t\n]*[,}].*$/, "", folder)
		folder = string_of(folder)
		folder = folder == GAP ? "" : absolute(folder, cwd())
		enter(folder == "" ? U : folder)
	}
	to = ++LEVEL
	if ((words = listed(code, text, to, 0))) inner_run(to, 1, words, U)
	else {
		folder = string_of(text)
		if (folder == GAP) folder = constant(code, text)
		if (folder != GAP && language == "node" && count > 1 && (words = listed(code, arg[2], to, 1))) { A[to, 1] = folder; inner_run(to, 1, words, U) }
		else if (folder != GAP) inner(folder, U)
		else if (text ~ /^[ ]*[A-Za-z_][A-Za-z0-9_]*[ ]*$/) through(code, text, at, to)
	}
	LEVEL--
	undo(mark)
}

# A command in a variable that runs over a list, or that is what the function around it is given.
function through(code, name, at, to,    text, count, i, from, rest, helper, given) {
	gsub(/ /, "", name)
	if (match(MASK, "(^|[^A-Za-z0-9_])for +[(]?((const|let|var) +)?" name " +(in|of) +\\[[^]]*\\]")) {
		text = substr(code, RSTART, RLENGTH)
		sub(/^[^[]*/, "", text)
		count = listed(code, text, to, 0)
		for (i = 1; i <= count; i++) inner(A[to, i], U)
	}
	rest = substr(MASK, 1, at)
	while (match(rest, "((def|function) +[A-Za-z_][A-Za-z0-9_]*[(] *" name " *[,):]|[A-Za-z_][A-Za-z0-9_]* *= *[(]? *" name " *[)]? *=>)")) {
		helper = substr(rest, RSTART, RLENGTH)
		rest = substr(rest, RSTART + RLENGTH)
	}
	if (helper == "" || rest ~ /\n[^ \t\n]|[}]/) return
	sub(/^(def|function) +/, "", helper)
	sub(/[^A-Za-z0-9_].*$/, "", helper)
	for (from = 1; match(substr(MASK, from), "(^|[^A-Za-z0-9_.$])" helper "[(]"); ) {
		from += RSTART + RLENGTH - 1
		arguments(code, from - 1, given)
		if ((text = string_of(given[1])) != GAP) inner(text, U)
	}
}

# The words of a list of plain strings, or of a variable set to one, from `count` + 1 on; 0 when it is none.
function listed(code, text, to, count,    item, items, i, name) {
	gsub(/^[ \t\n]+|[ \t\n]+$/, "", text)
	if (text ~ /^[A-Za-z_][A-Za-z0-9_]*$/) {
		name = text
		if (!match(MASK, "(^|[;\n ({])" name "[ ]*=[ ]*\\[[^]]*\\]")) return 0
		text = substr(code, RSTART, RLENGTH)
		if (match(substr(MASK, RSTART + RLENGTH), "(^|[^A-Za-z0-9_])" name "[ ]*=[^=]")) return 0
		sub(/^[^[]*/, "", text)
	}
	if (text !~ /^\[.*\]$/) return 0
	items = split(substr(text, 2, length(text) - 2), item, ",")
	for (i = 1; i <= items; i++) {
		if ((text = string_of(item[i])) == GAP) return 0
		A[to, ++count] = text
	}
	return count
}

# `owner.` or `owner::` before a name, as a name of its own.
function ends_with(before, owner,    at) {
	if (before !~ /([.]|::)$/) return 0
	sub(/([.]|::)$/, "", before)
	sub(/^.*[.]/, "", owner)
	at = length(before) - length(owner)
	return at >= 0 && substr(before, at + 1) == owner && (at == 0 || substr(before, at, 1) !~ /[A-Za-z0-9_$.]/)
}

# The arguments of a call whose parenthesis is at `open_at`, split at the top-level commas.
function arguments(code, open_at, arg,    at, c, depth, start, count) {
	split("", arg)
	start = open_at + 1
	for (at = open_at; at <= length(MASK); at++) {
		c = substr(MASK, at, 1)
		if (c ~ /[([{]/) depth++
		else if (c ~ /[])}]/ && --depth == 0) break
		else if (c == "," && depth == 1) { arg[++count] = substr(code, start, at - start); start = at + 1 }
	}
	arg[++count] = substr(code, start, at - start)
	return count
}

# The value of a plain string literal; GAP when the text is none.
function string_of(text,    quote, body) {
	gsub(/^[ \t\n]+|[ \t\n]+$/, "", text)
	quote = substr(text, 1, 1)
	if (quote !~ /["']/ || length(text) < 2 || substr(text, length(text)) != quote) return GAP
	body = substr(text, 2, length(text) - 2)
	return index(body, quote) || index(body, "\\") || index(body, "$") || index(body, "#{") ? GAP : body
}

function write_mode(code, text, language,    mode) {
	sub(/^[ \t]*(mode|flags?)[ \t]*[=:][ \t]*/, "", text)
	mode = string_of(text)
	if (mode == GAP) mode = constant(code, text)
	if (mode == GAP) return 0
	return language == "perl" ? mode ~ />|[+]</ : mode ~ /[wax+]/
}

# Whether the statements of a program change the database in `file`.
function changes_data(file, code) {
	if (file ~ /:memory:|file:/) return 0
	return tolower(code) ~ /[.]commit[(]|[.]execute[a-z]*[(][ \n]*["']+[ \n]*(insert|update|delete|create|drop|alter|replace|vacuum)[ \n]/
}

# `p = "x"` or `p = Path("x")`, set once and no function's parameter: the value of p.
function constant(code, name,    at, rest, text) {
	gsub(/[ \t\n]/, "", name)
	sub(/^\$/, "", name)
	if (name !~ /^[A-Za-z_][A-Za-z0-9_]*$/) return GAP
	if (!match(MASK, "(^|[;\n ({$])" name "[ ]*=[ ]*")) return GAP
	if (MASK ~ ("(def|function)[^()]*[(]([^()]*[^A-Za-z0-9_])?" name "([^A-Za-z0-9_][^()]*)?[)]|(^|[^A-Za-z0-9_.])" name "( *, *[A-Za-z0-9_]+)* *[)]? *=>")) return GAP
	at = RSTART + RLENGTH
	rest = substr(code, at)
	if (match(substr(MASK, at), "(^|[^A-Za-z0-9_])" name "[ ]*=[^=]")) return GAP
	sub(/^(pathlib[.])?Path\(/, "", rest)
	if (!match(rest, /^("[^"\\\n$]*"|'[^'\\\n$]*')[ ]*\)?[ ]*([;\n]|$)/)) return GAP
	text = substr(rest, 1, RLENGTH)
	sub(/[ ]*\)?[ ]*[;\n]?$/, "", text)
	return string_of(text)
}

# The receiver of a method: `Path("x")` or a variable that holds one.
function receiver(code, dot, name, language, path_only,    before, text) {
	before = substr(code, 1, dot - 1)
	if (match(before, /Path\(("[^"\\]*"|'[^'\\]*')\)$/)) { text = substr(before, RSTART + 5, RLENGTH - 6); text = string_of(text) }
	else if (match(before, /[A-Za-z_][A-Za-z0-9_]*$/)) { if (substr(before, RSTART - 1, 1) == ".") return; text = substr(before, RSTART, RLENGTH); if (path_only && MASK !~ ("(^|[^A-Za-z0-9_])" text " *= *(pathlib[.])?Path[(]")) return; text = constant(code, text) }
	else return
	if (text != GAP) judge(text, language " " name, "tree", 0, cwd())
}

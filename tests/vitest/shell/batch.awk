# Test only: judges many commands in one process. Loaded before shell.awk; each command is followed by a line of one \036.
BEGIN { BATCH = 1 }
FNR == 1 { BATCH_FILES++ }
BATCH_FILES > TABLES && $0 == "\036" {
	judge_command()
	print "\036"
	split("", C); split("", N); split("", P); split("", V); split("", FILE); split("", SEEN); split("", HERE_FROM); split("", HERE_TO); split("", FORGOTTEN)
	D = 1; N[1] = 0; STARTED = TOO_LONG = FAILED = SKIP = STATE = STEPS = LEVEL = DEPTH = CALLS = FOLDERS = PIPES = BEFORE = 0
	AT_FOLDER = TO_FILE = INPUT = ""
	next
}

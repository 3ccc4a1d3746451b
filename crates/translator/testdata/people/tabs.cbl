	identification division.
	program-id. tabs.
	data division.
	working-storage section.
	01	ws-a	pic x(10).
	01	ws-r	pic s9(8) comp.
	linkage section.
	01	dfhcommarea.
		05 ca-x pic x(10).
	procedure division.
	main.
		if eibcalen = 0
			exec cics abend abcode('NOCA')
			end-exec end-if
		exec cics read file('F') into(ws-a)
		ridfld(ws-a) resp(ws-r) 
		end-exec display 'x'
		if ws-r not = dfhresp(normal) then perform bad.
		exec cics return end-exec.
	bad.
		execute cics abend end-exec.

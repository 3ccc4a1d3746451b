      * A client that sends requests before it has the answers to those
      * before: COMMAREA is the port of a server, then what the commands
      * came to, a line of 80 characters each.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WEBPIPE.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-PORT                     PIC S9(8) COMP.
       01  WS-TOKEN                    PIC X(8).
       01  WS-TEXT                     PIC X(400).
       01  WS-LENGTH                   PIC S9(8) COMP.
       01  WS-LENGTH-N                 PIC ZZ9.
       01  WS-VALUE                    PIC X(8).
       01  WS-VALUE-L                  PIC S9(8) COMP.
       01  WS-STEP                     PIC X(20).
       01  WS-N                        PIC S9(8) COMP VALUE 0.
       01  WS-RESP                     PIC ZZ9.
       01  WS-RESP2                    PIC ZZ9.
       01  WS-SHOWN                    PIC X(40).
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-PORT                 PIC 9(5).
           05  CA-LINE                 PIC X(80) OCCURS 20.
       PROCEDURE DIVISION.
           MOVE CA-PORT TO WS-PORT
           MOVE SPACES TO WS-SHOWN
           EXEC CICS WEB OPEN HOST('localhost') HOSTLENGTH(9)
               PORTNUMBER(WS-PORT) SCHEME(DFHVALUE(HTTP))
               SESSTOKEN(WS-TOKEN) NOHANDLE END-EXEC
           EXEC CICS WEB WRITE HTTPHEADER('TE') NAMELENGTH(2)
               SESSTOKEN(WS-TOKEN) VALUE('trailers') VALUELENGTH(8)
               NOHANDLE END-EXEC
           EXEC CICS WEB SEND SESSTOKEN(WS-TOKEN) GET
               PATH('/chunks') PATHLENGTH(7) NOHANDLE END-EXEC
           MOVE 'SEND' TO WS-STEP PERFORM TELL
           EXEC CICS WEB SEND SESSTOKEN(WS-TOKEN) POST
               PATH('/echo') PATHLENGTH(5) MEDIATYPE('text/plain')
               FROM('second') FROMLENGTH(6) NOHANDLE END-EXEC
           MOVE 'SEND' TO WS-STEP PERFORM TELL
           EXEC CICS WEB SEND SESSTOKEN(WS-TOKEN) POST
               PATH('/echo') PATHLENGTH(5) NOHANDLE END-EXEC
           MOVE 'SEND NOTHING' TO WS-STEP PERFORM TELL
           EXEC CICS WEB SEND SESSTOKEN(WS-TOKEN) POST
               PATH('/echo') PATHLENGTH(5) MEDIATYPE('text/plain')
               FROM('in ') FROMLENGTH(3) CHUNKYES NOHANDLE END-EXEC
           EXEC CICS WEB SEND SESSTOKEN(WS-TOKEN)
               FROM('parts') FROMLENGTH(5) CHUNKYES NOHANDLE END-EXEC
           EXEC CICS WEB SEND SESSTOKEN(WS-TOKEN) CHUNKEND NOHANDLE
               END-EXEC
           MOVE 'SEND PARTS' TO WS-STEP PERFORM TELL
           EXEC CICS WEB CONVERSE SESSTOKEN(WS-TOKEN) GET
               PATH('/echo') PATHLENGTH(5) INTO(WS-TEXT)
               TOLENGTH(WS-LENGTH) NOHANDLE END-EXEC
           MOVE 'CONVERSE' TO WS-STEP PERFORM TELL
           EXEC CICS WEB RECEIVE SESSTOKEN(WS-TOKEN)
               INTO(WS-TEXT) LENGTH(WS-LENGTH) MAXLENGTH(300)
               NOTRUNCATE NOHANDLE END-EXEC
           MOVE 'FIRST' TO WS-STEP PERFORM SHOW
           MOVE SPACES TO WS-VALUE MOVE 8 TO WS-VALUE-L
           EXEC CICS WEB READ HTTPHEADER('X-Lines') NAMELENGTH(7)
               SESSTOKEN(WS-TOKEN) VALUE(WS-VALUE)
               VALUELENGTH(WS-VALUE-L) NOHANDLE END-EXEC
           MOVE WS-VALUE TO WS-SHOWN
           MOVE 'TRAILER' TO WS-STEP PERFORM TELL
           EXEC CICS WEB RECEIVE SESSTOKEN(WS-TOKEN)
               INTO(WS-TEXT) LENGTH(WS-LENGTH) MAXLENGTH(300)
               NOTRUNCATE NOHANDLE END-EXEC
           MOVE 'ITS REST' TO WS-STEP PERFORM SHOW
           PERFORM 3 TIMES
               MOVE SPACES TO WS-TEXT
               EXEC CICS WEB RECEIVE SESSTOKEN(WS-TOKEN)
                   INTO(WS-TEXT) LENGTH(WS-LENGTH) MAXLENGTH(300)
                   NOHANDLE END-EXEC
               MOVE 'NEXT' TO WS-STEP PERFORM SHOW
           END-PERFORM
           MOVE SPACES TO WS-TEXT
           EXEC CICS WEB CONVERSE SESSTOKEN(WS-TOKEN) POST
               PATH('/echo') PATHLENGTH(5) MEDIATYPE('text/plain')
               FROM('last') FROMLENGTH(4) INTO(WS-TEXT)
               TOLENGTH(WS-LENGTH) MAXLENGTH(300) NOHANDLE END-EXEC
           MOVE 'CONVERSE' TO WS-STEP PERFORM SHOW
           EXEC CICS WEB CLOSE SESSTOKEN(WS-TOKEN) NOHANDLE END-EXEC
           MOVE 'CLOSE' TO WS-STEP PERFORM TELL
           EXEC CICS RETURN END-EXEC.
       SHOW.
           MOVE WS-LENGTH TO WS-LENGTH-N
           INSPECT WS-TEXT REPLACING ALL X'0A' BY '/'
           STRING WS-LENGTH-N ' ' WS-TEXT(1:12)
               DELIMITED BY SIZE INTO WS-SHOWN
           PERFORM TELL.
       TELL.
           ADD 1 TO WS-N
           MOVE EIBRESP TO WS-RESP
           MOVE EIBRESP2 TO WS-RESP2
           MOVE SPACES TO CA-LINE (WS-N)
           STRING WS-STEP WS-RESP ' ' WS-RESP2 ' ' WS-SHOWN
               DELIMITED BY SIZE INTO CA-LINE (WS-N)
           MOVE SPACES TO WS-SHOWN.

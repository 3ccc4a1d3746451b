      * A client that sends a request in chunks and receives an answer in
      * pieces: COMMAREA is the port of a server, then what the commands
      * came to, a line of 80 characters each.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WEBPARTS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-PORT                     PIC S9(8) COMP.
       01  WS-TOKEN                    PIC X(8).
       01  WS-WRONG                    PIC X(8) VALUE LOW-VALUES.
       01  WS-TEXT                     PIC X(200).
       01  WS-LENGTH                   PIC S9(8) COMP.
       01  WS-STATUS                   PIC S9(4) COMP.
       01  WS-STATUS-N                 PIC ZZ9.
       01  WS-REASON                   PIC X(20).
       01  WS-REASON-L                 PIC S9(8) COMP.
       01  WS-MEDIA                    PIC X(56).
       01  WS-HOST                     PIC X(20).
       01  WS-HOST-L                   PIC S9(8) COMP.
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
               PORTNUMBER(WS-PORT) SCHEME(DFHVALUE(HTTPS))
               CERTIFICATE('NONE') SESSTOKEN(WS-TOKEN) NOHANDLE
               END-EXEC
           MOVE 'NO CERTIFICATE' TO WS-STEP PERFORM TELL
           EXEC CICS WEB OPEN HOST('localhost') HOSTLENGTH(9)
               PORTNUMBER(WS-PORT) SCHEME(DFHVALUE(HTTP))
               SESSTOKEN(WS-TOKEN) NOHANDLE END-EXEC
           MOVE 'OPEN' TO WS-STEP PERFORM TELL
           EXEC CICS WEB SEND SESSTOKEN(WS-TOKEN) POST
               PATH('/echo') PATHLENGTH(5) CHUNKEND NOHANDLE END-EXEC
           MOVE 'END TOO EARLY' TO WS-STEP PERFORM TELL
           EXEC CICS WEB SEND SESSTOKEN(WS-TOKEN) POST
               PATH('/echo') PATHLENGTH(5) MEDIATYPE('text/plain')
               FROM('one ') FROMLENGTH(4) CHUNKYES NOHANDLE END-EXEC
           MOVE 'FIRST' TO WS-STEP PERFORM TELL
           EXEC CICS WEB RECEIVE SESSTOKEN(WS-TOKEN)
               INTO(WS-TEXT) LENGTH(WS-LENGTH) NOHANDLE END-EXEC
           MOVE 'NO ANSWER YET' TO WS-STEP PERFORM TELL
           EXEC CICS WEB SEND SESSTOKEN(WS-TOKEN) POST
               FROM('whole') FROMLENGTH(5) NOHANDLE END-EXEC
           MOVE 'NO CHUNK' TO WS-STEP PERFORM TELL
           PERFORM 40 TIMES
               EXEC CICS WEB SEND SESSTOKEN(WS-TOKEN) POST
                   FROM('two ') FROMLENGTH(4) CHUNKYES NOHANDLE
                   END-EXEC
           END-PERFORM
           MOVE 'MORE' TO WS-STEP PERFORM TELL
           EXEC CICS WEB SEND SESSTOKEN(WS-TOKEN) CHUNKEND NOHANDLE
               END-EXEC
           MOVE 'END' TO WS-STEP PERFORM TELL
           MOVE SPACES TO WS-TEXT
           EXEC CICS WEB RECEIVE SESSTOKEN(WS-TOKEN)
               INTO(WS-TEXT) LENGTH(WS-LENGTH) MAXLENGTH(200)
               NOHANDLE END-EXEC
           MOVE WS-LENGTH TO WS-STATUS-N
           STRING WS-STATUS-N ' ' WS-TEXT(1:12)
               DELIMITED BY SIZE INTO WS-SHOWN
           MOVE 'RECEIVE' TO WS-STEP PERFORM TELL
           EXEC CICS WEB SEND SESSTOKEN(WS-TOKEN) GET
               PATH('/chunks') PATHLENGTH(7) NOHANDLE END-EXEC
           PERFORM 2 TIMES
               MOVE SPACES TO WS-TEXT
               EXEC CICS WEB RECEIVE SESSTOKEN(WS-TOKEN)
                   INTO(WS-TEXT) LENGTH(WS-LENGTH) MAXLENGTH(12)
                   NOTRUNCATE NOHANDLE END-EXEC
               INSPECT WS-TEXT REPLACING ALL X'0A' BY '/'
               MOVE WS-LENGTH TO WS-STATUS-N
               STRING WS-STATUS-N ' ' WS-TEXT(1:12)
                   DELIMITED BY SIZE INTO WS-SHOWN
               MOVE 'PIECE' TO WS-STEP PERFORM TELL
           END-PERFORM
           EXEC CICS WEB SEND SESSTOKEN(WS-TOKEN) POST
               PATH('/echo') PATHLENGTH(5) MEDIATYPE('text/plain')
               FROM('lost') FROMLENGTH(4) CHUNKYES NOHANDLE END-EXEC
           MOVE SPACES TO WS-SHOWN
           MOVE 'FIRST AGAIN' TO WS-STEP PERFORM TELL
           EXEC CICS WEB CLOSE SESSTOKEN(WS-TOKEN) NOHANDLE END-EXEC
           MOVE 'CLOSE WITHOUT END' TO WS-STEP PERFORM TELL
           EXEC CICS RETURN END-EXEC.
       TELL.
           ADD 1 TO WS-N
           MOVE EIBRESP TO WS-RESP
           MOVE EIBRESP2 TO WS-RESP2
           MOVE SPACES TO CA-LINE (WS-N)
           STRING WS-STEP WS-RESP ' ' WS-RESP2 ' ' WS-SHOWN
               DELIMITED BY SIZE INTO CA-LINE (WS-N)
           MOVE SPACES TO WS-SHOWN.

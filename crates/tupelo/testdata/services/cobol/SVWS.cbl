      * A requester with addressing: builds a context, asks, and leaves
      * what its commands came to in the queues SVW1 to SVW9; then there is
      * the queue SVWS.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SVWS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-CHANNEL                  PIC X(16) VALUE 'SVWS'.
       01  WS-DATA                     PIC X(16) VALUE 'DFHWS-DATA'.
       01  WS-RESP                     PIC S9(8) COMP.
       01  WS-RESP2                    PIC S9(8) COMP.
       01  WS-LENGTH                   PIC S9(8) COMP.
       01  WS-ACTION                   PIC X(255).
       01  WS-ID                       PIC X(255).
       01  WS-EPR-P                    USAGE POINTER.
       01  WS-EPR                      PIC X(400).
       01  WS-EPR-L                    PIC S9(8) COMP.
       COPY FXASKQ.
       COPY FXASKR.
       01  WS-QUEUE.
           05  FILLER                  PIC X(3) VALUE 'SVW'.
           05  WS-N                    PIC 9 VALUE 0.
           05  FILLER                  PIC X(4) VALUE SPACES.
       01  WS-LINE.
           05  WS-LINE-RESP            PIC ZZ9.
           05  WS-LINE-RESP2           PIC ZZZ9.
           05  FILLER                  PIC X VALUE SPACE.
           05  WS-LINE-TEXT            PIC X(90).
       LINKAGE SECTION.
       01  LS-EPR                      PIC X(60).
       PROCEDURE DIVISION.
           MOVE 1 TO FX-AMOUNT OF FX-QUESTION
           MOVE 'USD' TO FX-FROM OF FX-QUESTION
           MOVE 'EUR' TO FX-TO OF FX-QUESTION
           MOVE 0 TO FX-RATE OF FX-QUESTION
               FX-RESULT OF FX-QUESTION
           MOVE SPACES TO FX-REMARK OF FX-QUESTION WS-LINE-TEXT
           EXEC CICS PUT CONTAINER(WS-DATA) CHANNEL(WS-CHANNEL)
               FROM(FX-QUESTION)
               FLENGTH(LENGTH OF FX-QUESTION) END-EXEC
           EXEC CICS WSACONTEXT DELETE CHANNEL(WS-CHANNEL)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           PERFORM TELL
           MOVE 'urn:sv:ask' TO WS-ACTION
           MOVE 'urn:sv:m1' TO WS-ID
           EXEC CICS WSACONTEXT BUILD CHANNEL(WS-CHANNEL)
               ACTION(WS-ACTION) MESSAGEID(WS-ID)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           MOVE 'urn:sv:me' TO WS-ACTION
           MOVE 400 TO WS-EPR-L
           EXEC CICS WSAEPR CREATE EPRINTO(WS-EPR)
               EPRLENGTH(WS-EPR-L) ADDRESS(WS-ACTION)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           PERFORM TELL
           EXEC CICS WSACONTEXT BUILD CHANNEL(WS-CHANNEL)
               EPRTYPE(DFHVALUE(FROMEPR)) EPRFIELD(DFHVALUE(ALL))
               EPRFROM(WS-EPR) EPRLENGTH(WS-EPR-L)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           PERFORM TELL
           EXEC CICS WSACONTEXT GET CHANNEL('NONE')
               CONTEXTTYPE(DFHVALUE(REQCONTEXT)) ACTION(WS-ACTION)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           PERFORM TELL
           EXEC CICS INVOKE SERVICE('SVASK') CHANNEL(WS-CHANNEL)
               OPERATION('fxQuote')
               URI('http://127.0.0.1:8190/sv/read')
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           PERFORM TELL
           IF WS-RESP = DFHRESP(NORMAL)
               MOVE LENGTH OF FX-ANSWER TO WS-LENGTH
               EXEC CICS GET CONTAINER(WS-DATA) CHANNEL(WS-CHANNEL)
                   INTO(FX-ANSWER) FLENGTH(WS-LENGTH) END-EXEC
               MOVE FX-REMARK OF FX-ANSWER TO WS-LINE-TEXT
           ELSE
               MOVE 90 TO WS-LENGTH
               EXEC CICS GET CONTAINER('DFHERROR')
                   CHANNEL(WS-CHANNEL) INTO(WS-LINE-TEXT)
                   FLENGTH(WS-LENGTH) NOHANDLE END-EXEC
           END-IF
           PERFORM TELL
           MOVE SPACES TO WS-ACTION WS-ID
           EXEC CICS WSACONTEXT GET CHANNEL(WS-CHANNEL)
               CONTEXTTYPE(DFHVALUE(RESPCONTEXT))
               ACTION(WS-ACTION) RELATESURI(WS-ID)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           STRING WS-ACTION DELIMITED BY SPACE ' '
               DELIMITED BY SIZE WS-ID DELIMITED BY SPACE
               INTO WS-LINE-TEXT
           PERFORM TELL
           EXEC CICS WSACONTEXT GET CHANNEL(WS-CHANNEL)
               CONTEXTTYPE(DFHVALUE(RESPCONTEXT))
               EPRTYPE(DFHVALUE(TOEPR)) EPRFIELD(DFHVALUE(ADDRESS))
               EPRSET(WS-EPR-P) EPRLENGTH(WS-EPR-L)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
               SET ADDRESS OF LS-EPR TO WS-EPR-P
               MOVE LS-EPR(1:WS-EPR-L) TO WS-LINE-TEXT
           END-IF
           PERFORM TELL
           EXEC CICS WSACONTEXT DELETE CHANNEL(WS-CHANNEL)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           PERFORM TELL
           EXEC CICS WRITEQ TS QUEUE('SVWS') FROM('end')
               LENGTH(3) END-EXEC
           EXEC CICS RETURN END-EXEC.
       TELL.
           MOVE WS-RESP TO WS-LINE-RESP
           MOVE WS-RESP2 TO WS-LINE-RESP2
           ADD 1 TO WS-N
           EXEC CICS WRITEQ TS QUEUE(WS-QUEUE) FROM(WS-LINE)
               LENGTH(LENGTH OF WS-LINE) END-EXEC
           MOVE SPACES TO WS-LINE-TEXT.

      * A provider that tells, in the remark of its answer, what the
      * request says of itself, and names the action of the answer.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SVADDR.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-DATA                     PIC X(16) VALUE 'DFHWS-DATA'.
       01  WS-LENGTH                   PIC S9(8) COMP.
       01  WS-ACTION                   PIC X(255).
       01  WS-ID                       PIC X(255).
       01  WS-EPR                      PIC X(200).
       01  WS-EPR-L                    PIC S9(8) COMP.
       01  WS-RESP                     PIC S9(8) COMP.
       01  WS-RESP2                    PIC S9(8) COMP.
       01  WS-RESP2-N                  PIC 9.
       01  WS-DELETED                  PIC 9.
       COPY FXQUOTE.
       PROCEDURE DIVISION.
           MOVE LENGTH OF FX-QUOTE TO WS-LENGTH
           EXEC CICS GET CONTAINER(WS-DATA) INTO(FX-QUOTE)
               FLENGTH(WS-LENGTH) END-EXEC
           MOVE SPACES TO WS-ACTION WS-ID WS-EPR FX-REMARK
           EXEC CICS WSACONTEXT GET CONTEXTTYPE(DFHVALUE(REQCONTEXT))
               ACTION(WS-ACTION) MESSAGEID(WS-ID)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           MOVE WS-RESP2 TO WS-RESP2-N
           MOVE 200 TO WS-EPR-L
           EXEC CICS WSACONTEXT GET CONTEXTTYPE(DFHVALUE(REQCONTEXT))
               EPRTYPE(DFHVALUE(FROMEPR)) EPRFIELD(DFHVALUE(ADDRESS))
               EPRINTO(WS-EPR) EPRLENGTH(WS-EPR-L)
               NOHANDLE END-EXEC
           EXEC CICS WSACONTEXT DELETE RESP(WS-RESP)
               RESP2(WS-RESP2) END-EXEC
           MOVE WS-RESP2 TO WS-DELETED
           STRING WS-RESP2-N WS-DELETED ' ' DELIMITED BY SIZE
               WS-ACTION DELIMITED BY SPACE
               ' ' DELIMITED BY SIZE
               WS-ID DELIMITED BY SPACE
               ' ' DELIMITED BY SIZE
               WS-EPR DELIMITED BY SPACE
               INTO FX-REMARK
           MOVE 'urn:sv:read' TO WS-ACTION
           EXEC CICS WSACONTEXT BUILD ACTION(WS-ACTION) END-EXEC
           EXEC CICS PUT CONTAINER(WS-DATA) FROM(FX-QUOTE)
               FLENGTH(LENGTH OF FX-QUOTE) END-EXEC
           EXEC CICS RETURN END-EXEC.

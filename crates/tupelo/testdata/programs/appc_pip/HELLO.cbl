       IDENTIFICATION DIVISION.
       PROGRAM-ID. HELLO.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-CONVID                    PIC X(4).
       01  WS-RESP                      PIC S9(8) COMP.
       01  WS-RESP2                     PIC S9(8) COMP.
       01  WS-SHOWN                     PIC 9(4).
       01  WS-CODE                      PIC X(4).
       01  WS-LENGTH                    PIC S9(4) COMP VALUE 12.
       01  WS-LIST.
           05  WS-LL1                   PIC S9(4) COMP VALUE 8.
           05  FILLER                   PIC X(2) VALUE LOW-VALUES.
           05  FILLER                   PIC X(4) VALUE 'ABCD'.
           05  WS-LL2                   PIC S9(4) COMP VALUE 4.
           05  FILLER                   PIC X(2) VALUE LOW-VALUES.
       LINKAGE SECTION.
       01  DFHCOMMAREA                  PIC X.
       COPY HELLO.
       PROCEDURE DIVISION.
           SET ADDRESS OF HELLO-AREA TO ADDRESS OF DFHCOMMAREA
           EVALUATE HELLO-NAME
             WHEN 'short'    MOVE 3 TO WS-LL1
             WHEN 'long'     MOVE 13 TO WS-LL1
             WHEN 'rest'     MOVE 11 TO WS-LENGTH
             WHEN 'negative' MOVE -1 TO WS-LENGTH
             WHEN 'empty'    MOVE 0 TO WS-LENGTH
           END-EVALUATE
           EXEC CICS ALLOCATE SYSID('PEER') END-EXEC
           MOVE EIBRSRCE TO WS-CONVID
           EXEC CICS CONNECT PROCESS CONVID(WS-CONVID)
                PROCNAME('SHOUT') PROCLENGTH(5) SYNCLEVEL(1)
                PIPLIST(WS-LIST) PIPLENGTH(WS-LENGTH)
                RESP(WS-RESP)
           END-EXEC
           MOVE LOW-VALUES TO WS-CODE
           IF WS-RESP = DFHRESP(NORMAL)
               EXEC CICS EXTRACT PROCESS CONVID(WS-CONVID)
                    SYNCLEVEL(WS-LENGTH) RESP(WS-RESP2)
               END-EXEC
               EXEC CICS SEND CONVID(WS-CONVID) CONFIRM RESP(WS-RESP)
               END-EXEC
               MOVE EIBERRCD TO WS-CODE
           END-IF
           MOVE WS-RESP TO WS-SHOWN
           MOVE SPACES TO HELLO-GREETING
           STRING WS-SHOWN DELIMITED BY SIZE INTO HELLO-GREETING
           IF WS-CODE = X'10086031'
               MOVE ' NOT ALLOWED' TO HELLO-GREETING(5:12)
           END-IF
           IF WS-RESP2 = DFHRESP(INVREQ)
               MOVE ' OWN' TO HELLO-GREETING(17:4)
           END-IF
           EXEC CICS RETURN END-EXEC.

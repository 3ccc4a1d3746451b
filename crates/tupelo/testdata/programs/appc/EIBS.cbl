       IDENTIFICATION DIVISION.
       PROGRAM-ID. EIBS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RECORD                    PIC X(100).
       01  WS-LENGTH                    PIC S9(4) COMP.
       01  WS-RESP                      PIC S9(8) COMP.
       01  WS-LOG                       PIC X(80) VALUE SPACES.
       01  WS-AT                        PIC S9(4) COMP VALUE 1.
       01  WS-FLAGS.
           05  WS-RECV                  PIC X.
           05  WS-FREE                  PIC X.
           05  WS-CONF                  PIC X.
           05  WS-COMPL                 PIC X.
           05  WS-NODAT                 PIC X.
           05  WS-ERR                   PIC X.
           05  WS-EOC                   PIC X.
           05  WS-RAISED                PIC X.
       PROCEDURE DIVISION.
       MAIN-LINE.
           MOVE '0' TO WS-FREE
           PERFORM UNTIL WS-FREE = '1'
               MOVE 100 TO WS-LENGTH
               EXEC CICS RECEIVE INTO(WS-RECORD) LENGTH(WS-LENGTH)
                    RESP(WS-RESP)
               END-EXEC
               PERFORM NOTE
               IF WS-CONF = '1'
                   EXEC CICS ISSUE CONFIRMATION RESP(WS-RESP) END-EXEC
               END-IF
               IF WS-FREE = '0' AND WS-RECV = '0'
                   EXEC CICS SEND FROM(WS-LOG) LENGTH(WS-AT)
                        INVITE WAIT RESP(WS-RESP)
                   END-EXEC
                   MOVE SPACES TO WS-LOG
                   MOVE 1 TO WS-AT
               END-IF
           END-PERFORM
           EXEC CICS RETURN END-EXEC.
       NOTE.
           MOVE ALL '0' TO WS-FLAGS
           IF EIBRECV = X'FF' MOVE '1' TO WS-RECV END-IF
           IF EIBFREE = X'FF' MOVE '1' TO WS-FREE END-IF
           IF EIBCONF = X'FF' MOVE '1' TO WS-CONF END-IF
           IF EIBCOMPL = X'FF' MOVE '1' TO WS-COMPL END-IF
           IF EIBNODAT = X'FF' MOVE '1' TO WS-NODAT END-IF
           IF EIBERR = X'FF' MOVE '1' TO WS-ERR END-IF
           IF EIBEOC = X'FF' MOVE '1' TO WS-EOC END-IF
           IF WS-RESP = DFHRESP(EOC) MOVE '1' TO WS-RAISED END-IF
           STRING WS-FLAGS DELIMITED BY SIZE ' ' DELIMITED BY SIZE
               INTO WS-LOG WITH POINTER WS-AT
           IF WS-ERR = '1' AND EIBERRCD(1:2) = X'0889'
               STRING '0889 ' DELIMITED BY SIZE
                   INTO WS-LOG WITH POINTER WS-AT
           END-IF.

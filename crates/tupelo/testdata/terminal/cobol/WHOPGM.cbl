      *> Shows who uses the terminal, after a word that is typed after the code:
      *> ON user password, OFF, VERIFY user password, UPPER, LOOK, LIST.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WHOPGM.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  W-INPUT                      PIC X(60) VALUE SPACES.
       01  W-LENGTH                     PIC S9(4) COMP VALUE 60.
       01  W-CODE                       PIC X(8) VALUE SPACES.
       01  W-WORD                       PIC X(8) VALUE SPACES.
       01  W-USER                       PIC X(8) VALUE SPACES.
       01  W-PASS                       PIC X(8) VALUE SPACES.
       01  W-RESP                       PIC S9(8) COMP VALUE 0.
       01  W-RESP2                      PIC S9(8) COMP VALUE 0.
       01  W-STATUS                     PIC S9(8) COMP VALUE 0.
       01  W-HEIGHT                     PIC S9(4) COMP VALUE 0.
       01  W-NET                        PIC X(8) VALUE SPACES.
       01  W-ID                         PIC X(4) VALUE SPACES.
       01  W-COUNT                      PIC 9(2) VALUE 0.
       01  W-ME                         PIC X(8) VALUE SPACES.
       01  W-OUT.
           05  FILLER                   PIC X(5) VALUE 'RESP '.
           05  O-RESP                   PIC ZZ9.
           05  FILLER                   PIC X(7) VALUE ' RESP2 '.
           05  O-RESP2                  PIC ZZ9.
           05  FILLER                   PIC X(4) VALUE ' ME '.
           05  O-ME                     PIC X(8).
           05  O-MORE                   PIC X(40) VALUE SPACES.
       PROCEDURE DIVISION.
           EXEC CICS RECEIVE INTO(W-INPUT) LENGTH(W-LENGTH)
               RESP(W-RESP) END-EXEC
           UNSTRING W-INPUT DELIMITED BY ALL SPACES
               INTO W-CODE W-WORD W-USER W-PASS
           MOVE 0 TO W-RESP
           EVALUATE W-WORD
             WHEN 'ON'
               EXEC CICS SIGNON USERID(W-USER) PASSWORD(W-PASS)
                   RESP(W-RESP) RESP2(W-RESP2) END-EXEC
             WHEN 'OFF'
               EXEC CICS SIGNOFF RESP(W-RESP) RESP2(W-RESP2)
                   END-EXEC
             WHEN 'VERIFY'
               EXEC CICS VERIFY PASSWORD(W-PASS) USERID(W-USER)
                   RESP(W-RESP) RESP2(W-RESP2) END-EXEC
             WHEN 'UPPER'
               EXEC CICS SET TERMINAL(EIBTRMID)
                   UCTRANST(DFHVALUE(UCTRAN))
                   RESP(W-RESP) RESP2(W-RESP2) END-EXEC
             WHEN 'LOOK'
               PERFORM LOOK
             WHEN 'LIST'
               PERFORM LISTED
             WHEN OTHER
               MOVE W-WORD TO O-MORE
           END-EVALUATE
           EXEC CICS ASSIGN USERID(W-ME) END-EXEC
           MOVE W-RESP TO O-RESP
           MOVE W-RESP2 TO O-RESP2
           MOVE W-ME TO O-ME
           EXEC CICS SEND TEXT FROM(W-OUT) LENGTH(70) ERASE FREEKB
               END-EXEC
           EXEC CICS RETURN END-EXEC.
       LOOK.
           EXEC CICS INQUIRE TERMINAL(EIBTRMID) UCTRANST(W-STATUS)
               NETNAME(W-NET) SCRNHT(W-HEIGHT)
               RESP(W-RESP) RESP2(W-RESP2) END-EXEC
           STRING ' NET ' W-NET DELIMITED BY SIZE INTO O-MORE
           IF W-STATUS = DFHVALUE(UCTRAN)
               MOVE ' UPPER' TO O-MORE(14:6)
           END-IF
           IF W-HEIGHT = 24
               MOVE ' 24 LINES' TO O-MORE(20:9)
           END-IF.
       LISTED.
           EXEC CICS INQUIRE TERMINAL START RESP(W-RESP) END-EXEC
           PERFORM UNTIL W-RESP NOT = DFHRESP(NORMAL)
               EXEC CICS INQUIRE TERMINAL(W-ID) NEXT
                   RESP(W-RESP) RESP2(W-RESP2) END-EXEC
               IF W-RESP = DFHRESP(NORMAL)
                   ADD 1 TO W-COUNT
               END-IF
           END-PERFORM
           EXEC CICS INQUIRE TERMINAL END NOHANDLE END-EXEC
           STRING ' COUNT ' W-COUNT ' LAST ' W-ID
               DELIMITED BY SIZE INTO O-MORE.

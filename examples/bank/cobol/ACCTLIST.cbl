      ******************************************************************
      * ACCTLIST: a page of accounts by browsing the file.
      *
      * Containers LIST-REQUEST (where to start, how many) and
      * LIST-REPLY.  LIST-NEXT is the key of the next page, 0 at the end.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ACCTLIST.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                      PIC S9(8) COMP.
       01  WS-KEY                       PIC 9(8).
       01  WS-MORE                      PIC X VALUE 'Y'.
           88  NO-MORE                  VALUE 'N'.
       COPY ACCOUNT.
       COPY LISTREQ.
       COPY LISTRPL.
       PROCEDURE DIVISION.
           MOVE 0 TO LIST-COUNT LIST-NEXT RESULT-CODE
           MOVE SPACES TO RESULT-TEXT
           EXEC CICS GET CONTAINER('LIST-REQUEST')
               INTO(LIST-REQUEST)
               RESP(WS-RESP)
           END-EXEC
           IF WS-RESP NOT = DFHRESP(NORMAL)
               MOVE 0 TO LIST-START
               MOVE 50 TO LIST-LIMIT
           END-IF
           IF LIST-LIMIT < 1 OR LIST-LIMIT > 200
               MOVE 200 TO LIST-LIMIT
           END-IF
           MOVE LIST-START TO WS-KEY
           EXEC CICS STARTBR FILE('ACCTFILE')
               RIDFLD(WS-KEY) GTEQ
               RESP(WS-RESP)
           END-EXEC
           EVALUATE WS-RESP
               WHEN DFHRESP(NORMAL)
                   PERFORM READ-PAGE
                   EXEC CICS ENDBR FILE('ACCTFILE') END-EXEC
               WHEN DFHRESP(NOTFND)
                   CONTINUE
               WHEN OTHER
                   SET RESULT-FAILED TO TRUE
                   MOVE 'The account file cannot be browsed'
                       TO RESULT-TEXT
           END-EVALUATE
           EXEC CICS PUT CONTAINER('LIST-REPLY')
               FROM(LIST-REPLY)
               FLENGTH(LENGTH OF LIST-REPLY)
           END-EXEC
           EXEC CICS RETURN END-EXEC.

       READ-PAGE.
           PERFORM READ-ONE UNTIL NO-MORE.

       READ-ONE.
           EXEC CICS READNEXT FILE('ACCTFILE')
               INTO(ACCOUNT-RECORD) RIDFLD(WS-KEY)
               RESP(WS-RESP)
           END-EXEC
           EVALUATE TRUE
               WHEN WS-RESP NOT = DFHRESP(NORMAL)
                   SET NO-MORE TO TRUE
               WHEN LIST-COUNT = LIST-LIMIT
                   MOVE WS-KEY TO LIST-NEXT
                   SET NO-MORE TO TRUE
               WHEN OTHER
                   ADD 1 TO LIST-COUNT
                   MOVE ACCOUNT-NUMBER  TO ENTRY-NUMBER(LIST-COUNT)
                   MOVE ACCOUNT-HOLDER  TO ENTRY-HOLDER(LIST-COUNT)
                   MOVE ACCOUNT-KIND    TO ENTRY-KIND(LIST-COUNT)
                   MOVE ACCOUNT-BALANCE TO ENTRY-BALANCE(LIST-COUNT)
           END-EVALUATE.

      ******************************************************************
      * ACCTMOVE: a deposit to, or a withdrawal from, one account.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ACCTMOVE.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                      PIC S9(8) COMP.
       COPY ACCOUNT.
       LINKAGE SECTION.
       01  DFHCOMMAREA                  PIC X.
       COPY ACCTMOVE.
       PROCEDURE DIVISION.
           IF EIBCALEN < LENGTH OF ACCTMOVE-AREA
               EXEC CICS ABEND ABCODE('BKCA') END-EXEC
           END-IF
           SET ADDRESS OF ACCTMOVE-AREA TO ADDRESS OF DFHCOMMAREA
           MOVE SPACES TO RESULT-TEXT
           SET RESULT-OK TO TRUE
           EVALUATE TRUE
               WHEN MOVE-AMOUNT = 0
                   SET RESULT-BAD-INPUT TO TRUE
                   MOVE 'The amount is zero' TO RESULT-TEXT
               WHEN NOT MOVE-IS-DEPOSIT AND NOT MOVE-IS-WITHDRAWAL
                   SET RESULT-BAD-INPUT TO TRUE
                   MOVE 'The kind is DEPOSIT or WITHDRAWAL'
                       TO RESULT-TEXT
               WHEN OTHER
                   PERFORM READ-ACCOUNT
           END-EVALUATE
           EXEC CICS RETURN END-EXEC.

       READ-ACCOUNT.
           MOVE MOVE-NUMBER TO ACCOUNT-NUMBER
           EXEC CICS READ FILE('ACCTFILE') UPDATE
               INTO(ACCOUNT-RECORD)
               RIDFLD(ACCOUNT-NUMBER)
               RESP(WS-RESP)
           END-EXEC
           EVALUATE WS-RESP
               WHEN DFHRESP(NORMAL)
                   PERFORM MOVE-MONEY
               WHEN DFHRESP(NOTFND)
                   SET RESULT-NOT-FOUND TO TRUE
                   STRING 'There is no account ' MOVE-NUMBER
                       DELIMITED BY SIZE INTO RESULT-TEXT
               WHEN OTHER
                   SET RESULT-FAILED TO TRUE
                   MOVE 'The account cannot be read' TO RESULT-TEXT
           END-EVALUATE.

       MOVE-MONEY.
           IF MOVE-IS-DEPOSIT
               ADD MOVE-AMOUNT TO ACCOUNT-BALANCE
                   ON SIZE ERROR
                       SET RESULT-CONFLICT TO TRUE
                       MOVE 'The balance would overflow' TO RESULT-TEXT
               END-ADD
           ELSE
               IF ACCOUNT-BALANCE + ACCOUNT-OVERDRAFT < MOVE-AMOUNT
                   SET RESULT-NO-FUNDS TO TRUE
                   MOVE 'Insufficient funds' TO RESULT-TEXT
               ELSE
                   SUBTRACT MOVE-AMOUNT FROM ACCOUNT-BALANCE
               END-IF
           END-IF
           MOVE ACCOUNT-BALANCE TO MOVE-BALANCE
           IF RESULT-OK
               ADD 1 TO ACCOUNT-MOVEMENTS
               EXEC CICS REWRITE FILE('ACCTFILE')
                   FROM(ACCOUNT-RECORD)
                   RESP(WS-RESP)
               END-EXEC
               IF WS-RESP NOT = DFHRESP(NORMAL)
                   SET RESULT-FAILED TO TRUE
                   MOVE 'The account cannot be rewritten' TO RESULT-TEXT
               END-IF
           ELSE
               EXEC CICS UNLOCK FILE('ACCTFILE') RESP(WS-RESP) END-EXEC
           END-IF.

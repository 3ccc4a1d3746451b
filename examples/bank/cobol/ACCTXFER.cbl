      ******************************************************************
      * ACCTXFER: move money between two accounts in one unit of work.
      *
      * Containers XFER-REQUEST and XFER-REPLY.  The account with the
      * lower number is locked first, so that two transfers in opposite
      * directions never wait for each other.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ACCTXFER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                      PIC S9(8) COMP.
       01  WS-KEY                       PIC 9(8).
       01  WS-PAYER-TOKEN               PIC S9(8) COMP.
       01  WS-PAYEE-TOKEN               PIC S9(8) COMP.
       COPY XFERREQ.
       COPY XFERRPL.
       COPY ACCOUNT REPLACING LEADING ==ACCOUNT== BY ==PAYER==.
       COPY ACCOUNT REPLACING LEADING ==ACCOUNT== BY ==PAYEE==.
       PROCEDURE DIVISION.
           INITIALIZE XFER-REPLY
           EXEC CICS GET CONTAINER('XFER-REQUEST')
               INTO(XFER-REQUEST)
               RESP(WS-RESP)
           END-EXEC
           EVALUATE TRUE
               WHEN WS-RESP NOT = DFHRESP(NORMAL)
                   SET RESULT-BAD-INPUT TO TRUE
                   MOVE 'Container XFER-REQUEST is missing or too long'
                       TO RESULT-TEXT
               WHEN XFER-AMOUNT = 0
                   SET RESULT-BAD-INPUT TO TRUE
                   MOVE 'The amount is zero' TO RESULT-TEXT
               WHEN XFER-FROM = XFER-TO
                   MOVE 422 TO RESULT-CODE
                   MOVE 'Payer and payee are the same account'
                       TO RESULT-TEXT
               WHEN XFER-FROM < XFER-TO
                   PERFORM READ-PAYER
                   IF RESULT-OK PERFORM READ-PAYEE END-IF
                   IF RESULT-OK PERFORM TRANSFER END-IF
               WHEN OTHER
                   PERFORM READ-PAYEE
                   IF RESULT-OK PERFORM READ-PAYER END-IF
                   IF RESULT-OK PERFORM TRANSFER END-IF
           END-EVALUATE
           IF NOT RESULT-OK
               EXEC CICS SYNCPOINT ROLLBACK END-EXEC
           END-IF
           EXEC CICS PUT CONTAINER('XFER-REPLY')
               FROM(XFER-REPLY)
           END-EXEC
           EXEC CICS RETURN END-EXEC.

       READ-PAYER.
           MOVE XFER-FROM TO WS-KEY
           EXEC CICS READ FILE('ACCTFILE') UPDATE
               INTO(PAYER-RECORD) RIDFLD(WS-KEY)
               TOKEN(WS-PAYER-TOKEN) RESP(WS-RESP)
           END-EXEC
           PERFORM CHECK-READ.

       READ-PAYEE.
           MOVE XFER-TO TO WS-KEY
           EXEC CICS READ FILE('ACCTFILE') UPDATE
               INTO(PAYEE-RECORD) RIDFLD(WS-KEY)
               TOKEN(WS-PAYEE-TOKEN) RESP(WS-RESP)
           END-EXEC
           PERFORM CHECK-READ.

       CHECK-READ.
           EVALUATE WS-RESP
               WHEN DFHRESP(NORMAL)
                   CONTINUE
               WHEN DFHRESP(NOTFND)
                   SET RESULT-NOT-FOUND TO TRUE
                   STRING 'There is no account ' WS-KEY
                       DELIMITED BY SIZE INTO RESULT-TEXT
               WHEN OTHER
                   SET RESULT-FAILED TO TRUE
                   MOVE 'The account cannot be read' TO RESULT-TEXT
           END-EVALUATE.

       TRANSFER.
           IF PAYER-BALANCE + PAYER-OVERDRAFT < XFER-AMOUNT
               SET RESULT-NO-FUNDS TO TRUE
               MOVE 'Insufficient funds' TO RESULT-TEXT
           ELSE
               SUBTRACT XFER-AMOUNT FROM PAYER-BALANCE
               ADD 1 TO PAYER-MOVEMENTS PAYEE-MOVEMENTS
               ADD XFER-AMOUNT TO PAYEE-BALANCE
                   ON SIZE ERROR
                       SET RESULT-CONFLICT TO TRUE
                       MOVE 'The balance would overflow' TO RESULT-TEXT
               END-ADD
               IF RESULT-OK
                   PERFORM REWRITE-BOTH
               END-IF
           END-IF
           MOVE PAYER-BALANCE TO XFER-FROM-BALANCE
           MOVE PAYEE-BALANCE TO XFER-TO-BALANCE.

       REWRITE-BOTH.
           EXEC CICS REWRITE FILE('ACCTFILE')
               FROM(PAYER-RECORD) TOKEN(WS-PAYER-TOKEN) RESP(WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
               EXEC CICS REWRITE FILE('ACCTFILE')
                   FROM(PAYEE-RECORD) TOKEN(WS-PAYEE-TOKEN)
                   RESP(WS-RESP)
               END-EXEC
           END-IF
           IF WS-RESP NOT = DFHRESP(NORMAL)
               SET RESULT-FAILED TO TRUE
               MOVE 'The accounts cannot be rewritten' TO RESULT-TEXT
           END-IF.

       IDENTIFICATION DIVISION.
       PROGRAM-ID. LOAN.
      *----------------------------------------------------------------
      * What a loan costs each month. POST /loans calls it with a
      * COMMAREA that copybooks/LOAN.cpy describes; a loan that is
      * refused becomes HTTP 422 in response_mapping.yaml.
      *----------------------------------------------------------------
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-MONTHLY-RATE              COMP-2.
       01  WS-GROWTH                    COMP-2.
       LINKAGE SECTION.
       01  DFHCOMMAREA                  PIC X.
       COPY LOAN.
       PROCEDURE DIVISION.
       MAIN.
           SET ADDRESS OF LOAN-AREA TO ADDRESS OF DFHCOMMAREA
           MOVE ZERO TO LOAN-PAYMENT
           MOVE SPACES TO LOAN-REASON
           SET LOAN-GRANTED TO TRUE
           EVALUATE TRUE
               WHEN LOAN-AMOUNT < 100
                   SET LOAN-REFUSED TO TRUE
                   MOVE 'The smallest loan is 100.00' TO LOAN-REASON
               WHEN LOAN-MONTHS > 360
                   SET LOAN-REFUSED TO TRUE
                   MOVE 'The longest loan is 360 months' TO LOAN-REASON
               WHEN OTHER
                   PERFORM WORK-OUT-PAYMENT
           END-EVALUATE
           EXEC CICS RETURN END-EXEC.
       WORK-OUT-PAYMENT.
           IF LOAN-RATE = ZERO
               COMPUTE LOAN-PAYMENT ROUNDED = LOAN-AMOUNT / LOAN-MONTHS
           ELSE
               COMPUTE WS-MONTHLY-RATE = LOAN-RATE / 1200
               COMPUTE WS-GROWTH = (1 + WS-MONTHLY-RATE) ** LOAN-MONTHS
               COMPUTE LOAN-PAYMENT ROUNDED =
                   LOAN-AMOUNT * WS-MONTHLY-RATE * WS-GROWTH
                       / (WS-GROWTH - 1)
                   ON SIZE ERROR
                       SET LOAN-REFUSED TO TRUE
                       MOVE 'The payment is too large' TO LOAN-REASON
               END-COMPUTE
           END-IF.

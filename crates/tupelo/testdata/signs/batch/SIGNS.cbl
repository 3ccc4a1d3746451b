      * Payments as text from z/OS: each amount is read, negated and
      * written again.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SIGNS.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT PAYMENTS ASSIGN TO PAYIN FILE STATUS FS.
           SELECT RESULTS ASSIGN TO PAYOUT.
       DATA DIVISION.
       FILE SECTION.
       FD  PAYMENTS RECORDING MODE F.
       COPY PAYMENT.
       FD  RESULTS RECORDING MODE F.
       01  RESULT                  PIC X(12).
       WORKING-STORAGE SECTION.
       01  FS                      PIC XX VALUE '00'.
       01  E                       PIC -(4)9.9(4).
       PROCEDURE DIVISION.
           OPEN INPUT PAYMENTS OUTPUT RESULTS
           READ PAYMENTS
           PERFORM UNTIL FS NOT = '00'
               MOVE PAY-AMOUNT TO E
               DISPLAY PAY-KEY E
               COMPUTE PAY-AMOUNT = 0 - PAY-AMOUNT
               IF PAY-AMOUNT NOT NUMERIC
                   DISPLAY 'NOT NUMERIC'
               END-IF
               WRITE RESULT FROM PAYMENT
               READ PAYMENTS
           END-PERFORM
           CLOSE PAYMENTS RESULTS
           GOBACK.

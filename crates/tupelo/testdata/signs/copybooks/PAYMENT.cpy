       01  PAYMENT.
           05  PAY-KEY             PIC X(5).
           05  PAY-AMOUNT          PIC S9(3)V9(4).

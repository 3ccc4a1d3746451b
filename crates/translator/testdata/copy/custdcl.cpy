           EXEC SQL DECLARE GENASA1.CUSTOMER TABLE
           ( CUSTOMERNUMBER                 INTEGER NOT NULL,
             FIRSTNAME                      CHAR(10),
             LASTNAME                       VARCHAR(20)
           ) END-EXEC.
       01  DCLCUSTOMER.
           10 CUST-NUMBER          PIC S9(9) USAGE COMP.
           10 CUST-FIRST           PIC X(10).
           10 CUST-LAST.
              49 CUST-LAST-LEN     PIC S9(4) USAGE COMP.
              49 CUST-LAST-TEXT    PIC X(20).

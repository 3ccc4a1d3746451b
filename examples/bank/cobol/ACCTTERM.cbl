      ******************************************************************
      * ACCTTERM: the terms of a kind of account: interest in percent a
      * year, and the fee of a month.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ACCTTERM.
       DATA DIVISION.
       LINKAGE SECTION.
       01  DFHCOMMAREA                  PIC X.
       COPY ACCTTERM.
       PROCEDURE DIVISION.
           IF EIBCALEN < LENGTH OF ACCTTERM-AREA
               EXEC CICS ABEND ABCODE('BKCA') END-EXEC
           END-IF
           SET ADDRESS OF ACCTTERM-AREA TO ADDRESS OF DFHCOMMAREA
           MOVE SPACES TO RESULT-TEXT
           SET RESULT-OK TO TRUE
           MOVE 0 TO TERM-INTEREST TERM-FEE
           EVALUATE TERM-KIND
               WHEN 'CURRENT'
                   MOVE 0.125 TO TERM-INTEREST
                   MOVE 4.90 TO TERM-FEE
               WHEN 'SAVINGS'
                   MOVE 2.25 TO TERM-INTEREST
               WHEN OTHER
                   SET RESULT-NOT-FOUND TO TRUE
                   STRING 'There is no kind of account '
                       DELIMITED BY SIZE
                       TERM-KIND DELIMITED BY SIZE
                       INTO RESULT-TEXT
           END-EVALUATE
           EXEC CICS RETURN END-EXEC.

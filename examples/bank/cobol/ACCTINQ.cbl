      ******************************************************************
      * ACCTINQ: one account by its number.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ACCTINQ.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                      PIC S9(8) COMP.
       COPY ACCOUNT.
       LINKAGE SECTION.
       01  DFHCOMMAREA                  PIC X.
       COPY ACCTINQ.
       PROCEDURE DIVISION.
           IF EIBCALEN < LENGTH OF ACCTINQ-AREA
               EXEC CICS ABEND ABCODE('BKCA') END-EXEC
           END-IF
           SET ADDRESS OF ACCTINQ-AREA TO ADDRESS OF DFHCOMMAREA
           MOVE SPACES TO RESULT-TEXT
           SET RESULT-OK TO TRUE
           MOVE INQ-NUMBER TO ACCOUNT-NUMBER
           EXEC CICS READ FILE('ACCTFILE')
               INTO(ACCOUNT-RECORD)
               RIDFLD(ACCOUNT-NUMBER)
               RESP(WS-RESP)
           END-EXEC
           EVALUATE WS-RESP
               WHEN DFHRESP(NORMAL)
                   MOVE ACCOUNT-HOLDER    TO INQ-HOLDER
                   MOVE ACCOUNT-KIND      TO INQ-KIND
                   MOVE ACCOUNT-BALANCE   TO INQ-BALANCE
                   MOVE ACCOUNT-OVERDRAFT TO INQ-OVERDRAFT
                   MOVE ACCOUNT-OPENED    TO INQ-OPENED
                   MOVE ACCOUNT-MOVEMENTS TO INQ-MOVEMENTS
               WHEN DFHRESP(NOTFND)
                   SET RESULT-NOT-FOUND TO TRUE
                   STRING 'There is no account ' INQ-NUMBER
                       DELIMITED BY SIZE INTO RESULT-TEXT
               WHEN OTHER
                   SET RESULT-FAILED TO TRUE
                   MOVE 'The account file cannot be read'
                       TO RESULT-TEXT
           END-EVALUATE
           EXEC CICS RETURN END-EXEC.

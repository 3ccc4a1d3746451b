      ******************************************************************
      * ACCTOPEN: open an account.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ACCTOPEN.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                      PIC S9(8) COMP.
       01  WS-NOW                       PIC S9(15) COMP-3.
       01  WS-DATE                      PIC X(8).
       COPY ACCOUNT.
       LINKAGE SECTION.
       01  DFHCOMMAREA                  PIC X.
       COPY ACCTOPEN.
       PROCEDURE DIVISION.
           IF EIBCALEN < LENGTH OF ACCTOPEN-AREA
               EXEC CICS ABEND ABCODE('BKCA') END-EXEC
           END-IF
           SET ADDRESS OF ACCTOPEN-AREA TO ADDRESS OF DFHCOMMAREA
           MOVE SPACES TO RESULT-TEXT
           SET RESULT-OK TO TRUE
           INITIALIZE ACCOUNT-RECORD
           MOVE OPEN-KIND TO ACCOUNT-KIND
           EVALUATE TRUE
               WHEN OPEN-NUMBER = 0
                   SET RESULT-BAD-INPUT TO TRUE
                   MOVE 'Account number 0 is not allowed' TO RESULT-TEXT
               WHEN OPEN-HOLDER = SPACES
                   SET RESULT-BAD-INPUT TO TRUE
                   MOVE 'The holder has no name' TO RESULT-TEXT
               WHEN OPEN-DEPOSIT < 0
                   SET RESULT-BAD-INPUT TO TRUE
                   MOVE 'The first deposit is negative' TO RESULT-TEXT
               WHEN ACCOUNT-IS-SAVINGS AND OPEN-OVERDRAFT NOT = 0
                   SET RESULT-NOT-ALLOWED TO TRUE
                   MOVE 'A savings account has no overdraft'
                       TO RESULT-TEXT
               WHEN NOT ACCOUNT-IS-CURRENT AND NOT ACCOUNT-IS-SAVINGS
                   SET RESULT-BAD-INPUT TO TRUE
                   MOVE 'The kind is CURRENT or SAVINGS' TO RESULT-TEXT
               WHEN OTHER
                   PERFORM WRITE-ACCOUNT
           END-EVALUATE
           EXEC CICS RETURN END-EXEC.

       WRITE-ACCOUNT.
           EXEC CICS ASKTIME ABSTIME(WS-NOW) END-EXEC
           EXEC CICS FORMATTIME ABSTIME(WS-NOW)
               YYYYMMDD(WS-DATE)
           END-EXEC
           MOVE OPEN-NUMBER    TO ACCOUNT-NUMBER
           MOVE OPEN-HOLDER    TO ACCOUNT-HOLDER
           MOVE OPEN-DEPOSIT   TO ACCOUNT-BALANCE
           MOVE OPEN-OVERDRAFT TO ACCOUNT-OVERDRAFT
           MOVE WS-DATE        TO ACCOUNT-OPENED OPEN-DATE
           EXEC CICS WRITE FILE('ACCTFILE')
               FROM(ACCOUNT-RECORD)
               RIDFLD(ACCOUNT-NUMBER)
               RESP(WS-RESP)
           END-EXEC
           EVALUATE WS-RESP
               WHEN DFHRESP(NORMAL)
                   CONTINUE
               WHEN DFHRESP(DUPREC)
                   SET RESULT-CONFLICT TO TRUE
                   STRING 'Account ' OPEN-NUMBER ' exists already'
                       DELIMITED BY SIZE INTO RESULT-TEXT
               WHEN DFHRESP(NOSPACE)
                   SET RESULT-FAILED TO TRUE
                   MOVE 'The account file is full' TO RESULT-TEXT
               WHEN OTHER
                   SET RESULT-FAILED TO TRUE
                   MOVE 'The account cannot be written' TO RESULT-TEXT
           END-EVALUATE.

      * Goes through the accounts as often as PARM says: each gets a
      * currency unit and a movement.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. INTEREST.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT ACCOUNTS ASSIGN TO ACCTS
               ORGANIZATION IS INDEXED ACCESS MODE IS SEQUENTIAL
               RECORD KEY IS ACCOUNT-NUMBER FILE STATUS IS FS.
       DATA DIVISION.
       FILE SECTION.
       FD  ACCOUNTS.
       COPY ACCOUNT.
       WORKING-STORAGE SECTION.
       01  FS                          PIC XX.
       01  WS-PASS                     PIC 9(4) VALUE 0.
       LINKAGE SECTION.
       01  LK-PARM.
           05  LK-LENGTH               PIC S9(4) COMP.
           05  LK-PASSES               PIC 9(4).
       PROCEDURE DIVISION USING LK-PARM.
       MAIN-LINE.
           PERFORM ONE-PASS UNTIL WS-PASS = LK-PASSES
           GOBACK.
       ONE-PASS.
           ADD 1 TO WS-PASS
           OPEN I-O ACCOUNTS
           PERFORM CHECK-STATUS
           READ ACCOUNTS NEXT
           PERFORM UNTIL FS = '10'
               PERFORM CHECK-STATUS
               ADD 1 TO ACCOUNT-BALANCE
               ADD 1 TO ACCOUNT-MOVEMENTS
               REWRITE ACCOUNT-RECORD
               PERFORM CHECK-STATUS
               READ ACCOUNTS NEXT
           END-PERFORM
           CLOSE ACCOUNTS.
       CHECK-STATUS.
           IF FS NOT = '00'
               DISPLAY 'STATUS ' FS ' AT ' ACCOUNT-NUMBER
               MOVE 8 TO RETURN-CODE
               STOP RUN
           END-IF.

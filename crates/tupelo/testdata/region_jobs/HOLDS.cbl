      * Reads the account of PARM to change it, waits for a line, changes
      * it, and tells each file status.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. HOLDS.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT ACCOUNTS ASSIGN TO ACCTS
               ORGANIZATION IS INDEXED ACCESS MODE IS RANDOM
               RECORD KEY IS ACCOUNT-NUMBER FILE STATUS IS FS.
       DATA DIVISION.
       FILE SECTION.
       FD  ACCOUNTS.
       COPY ACCOUNT.
       WORKING-STORAGE SECTION.
       01  FS                          PIC XX.
       01  WS-LINE                     PIC X(10).
       LINKAGE SECTION.
       01  LK-PARM.
           05  LK-LENGTH               PIC S9(4) COMP.
           05  LK-NUMBER               PIC 9(8).
       PROCEDURE DIVISION USING LK-PARM.
       MAIN-LINE.
           OPEN I-O ACCOUNTS
           DISPLAY 'OPEN ' FS
           MOVE LK-NUMBER TO ACCOUNT-NUMBER
           READ ACCOUNTS
           DISPLAY 'READ ' FS
           ACCEPT WS-LINE
           ADD 1 TO ACCOUNT-MOVEMENTS
           REWRITE ACCOUNT-RECORD
           DISPLAY 'REWRITE ' FS
           CLOSE ACCOUNTS
           DISPLAY 'CLOSE ' FS
           GOBACK.

      * Records in EBCDIC, read and written through the copybook of the
      * DD, and lines in EBCDIC without a copybook.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. CODEPG.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT ACCOUNTS ASSIGN TO ACCTS FILE STATUS FS.
           SELECT RESULTS ASSIGN TO RESULTS FILE STATUS FS.
           SELECT RAWFILE ASSIGN TO RAWDD FILE STATUS FS.
           SELECT TEXTS ASSIGN TO TEXTS FILE STATUS FS.
       DATA DIVISION.
       FILE SECTION.
       FD  ACCOUNTS RECORDING MODE F.
       01  ACCOUNT.
           05  A-NAME          PIC X(10).
           05  A-PAID          PIC S9(5)V99 COMP-3.
           05  A-COUNT         PIC S9(4) COMP.
           05  A-BALANCE       PIC S9(5)V99.
       FD  RESULTS RECORDING MODE F.
       01  RESULT              PIC X(23).
       FD  RAWFILE RECORDING MODE F.
       01  RAW-RECORD.
           05  RAW-NAME        PIC X(10).
           05  FILLER          PIC X(6).
           05  RAW-BALANCE     PIC X(7).
       FD  TEXTS RECORDING MODE F.
       01  TEXT-LINE           PIC X(12).
       WORKING-STORAGE SECTION.
       01  FS                  PIC XX.
       01  E                   PIC -(6)9.99.
       01  P                   PIC -(6)9.99.
       01  C                   PIC -(4)9.
       PROCEDURE DIVISION.
       MAIN-LINE.
           OPEN INPUT ACCOUNTS OUTPUT RESULTS
           PERFORM ONE-ACCOUNT UNTIL FS NOT = '00'
           DISPLAY 'end ' FS
           CLOSE ACCOUNTS RESULTS
           OPEN INPUT RAWFILE
           READ RAWFILE
           DISPLAY FUNCTION HEX-OF(RAW-NAME) ' '
               FUNCTION HEX-OF(RAW-BALANCE)
           CLOSE RAWFILE
           OPEN INPUT TEXTS
           READ TEXTS
           DISPLAY '<' TEXT-LINE '>'
           READ TEXTS
           DISPLAY '<' TEXT-LINE '>'
           READ TEXTS
           DISPLAY 'end ' FS
           CLOSE TEXTS
           GOBACK.
       ONE-ACCOUNT.
           READ ACCOUNTS
           IF FS = '00'
               MOVE A-BALANCE TO E MOVE A-PAID TO P MOVE A-COUNT TO C
               DISPLAY A-NAME P C E
               SUBTRACT A-PAID FROM A-BALANCE
               WRITE RESULT FROM ACCOUNT
           END-IF.

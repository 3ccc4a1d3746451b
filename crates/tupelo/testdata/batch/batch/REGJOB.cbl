      * While a region has the files open: it changes them for the
      * program, which reads what it has written. Every run ends as it
      * began.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. REGJOB.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT PLAIN ASSIGN TO PLAIN
               ORGANIZATION IS INDEXED ACCESS MODE IS DYNAMIC
               RECORD KEY IS P-KEY FILE STATUS IS FS.
           SELECT LOG-FILE ASSIGN TO AS-JOURNAL
               ORGANIZATION IS SEQUENTIAL FILE STATUS IS FS.
       DATA DIVISION.
       FILE SECTION.
       FD  PLAIN.
       01  P-REC.
           05  P-KEY       PIC X(6).
           05  P-TEXT      PIC X(14).
       FD  LOG-FILE.
       01  L-REC           PIC X(12).
       WORKING-STORAGE SECTION.
       01  FS              PIC XX.
       PROCEDURE DIVISION.
       MAIN-LINE.
           OPEN INPUT PLAIN
           DISPLAY 'open input ' FS
           READ PLAIN NEXT
           DISPLAY 'read ' FS ' ' P-KEY
           CLOSE PLAIN
           OPEN I-O PLAIN
           DISPLAY 'open i-o ' FS
           MOVE 'K99999' TO P-KEY
           MOVE 'FIRST' TO P-TEXT
           WRITE P-REC
           DISPLAY 'write ' FS
           WRITE P-REC
           DISPLAY 'write again ' FS
           MOVE SPACES TO P-TEXT
           READ PLAIN
           DISPLAY 'read ' FS ' ' P-TEXT
           MOVE 'SECOND' TO P-TEXT
           REWRITE P-REC
           DISPLAY 'rewrite ' FS
           MOVE SPACES TO P-TEXT
           READ PLAIN
           DISPLAY 'read ' FS ' ' P-TEXT
           DELETE PLAIN
           DISPLAY 'delete ' FS
           READ PLAIN
           DISPLAY 'read ' FS
           DELETE PLAIN
           DISPLAY 'delete again ' FS
           REWRITE P-REC
           DISPLAY 'rewrite none ' FS
           CLOSE PLAIN
           DISPLAY 'close ' FS
           OPEN OUTPUT PLAIN
           DISPLAY 'open output ' FS
           OPEN EXTEND PLAIN
           DISPLAY 'open extend ' FS
           CLOSE PLAIN
           OPEN EXTEND LOG-FILE
           DISPLAY 'open log ' FS
           MOVE 'A LINE' TO L-REC
           WRITE L-REC
           DISPLAY 'write log ' FS
           CLOSE LOG-FILE
           DISPLAY 'close log ' FS
           GOBACK.

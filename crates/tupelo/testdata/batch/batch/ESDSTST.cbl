      * Entry-sequenced files: records of one length and of several,
      * EXTEND, REWRITE of the same and of another length.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ESDSTST.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT JOURNAL ASSIGN TO AS-JOURNAL
               ORGANIZATION IS SEQUENTIAL FILE STATUS IS FS.
           SELECT VARLOG ASSIGN TO AS-VARLOG
               ORGANIZATION IS SEQUENTIAL FILE STATUS IS FS.
       DATA DIVISION.
       FILE SECTION.
       FD  JOURNAL.
       01  J-REC           PIC X(12).
       FD  VARLOG RECORD IS VARYING IN SIZE FROM 4 TO 30 CHARACTERS
           DEPENDING ON V-SIZE.
       01  V-REC           PIC X(30).
       WORKING-STORAGE SECTION.
       01  FS              PIC XX.
       01  V-SIZE          PIC 9(4).
       PROCEDURE DIVISION.
       MAIN-LINE.
           OPEN OUTPUT JOURNAL
           DISPLAY 'open output ' FS
           MOVE 'first' TO J-REC
           WRITE J-REC
           DISPLAY 'write ' FS
           MOVE 'second' TO J-REC
           WRITE J-REC
           DISPLAY 'write ' FS
           CLOSE JOURNAL
           OPEN EXTEND JOURNAL
           DISPLAY 'open extend ' FS
           MOVE 'third' TO J-REC
           WRITE J-REC
           DISPLAY 'write ' FS
           READ JOURNAL
           DISPLAY 'read in extend ' FS
           REWRITE J-REC
           DISPLAY 'rewrite in extend ' FS
           CLOSE JOURNAL
           OPEN I-O JOURNAL
           DISPLAY 'open i-o ' FS
           WRITE J-REC
           DISPLAY 'write in i-o ' FS
           REWRITE J-REC
           DISPLAY 'rewrite before read ' FS
           READ JOURNAL
           DISPLAY 'read ' FS ' ' J-REC
           MOVE 'FIRST' TO J-REC
           REWRITE J-REC
           DISPLAY 'rewrite ' FS
           READ JOURNAL
           DISPLAY 'read ' FS ' ' J-REC
           CLOSE JOURNAL
           OPEN INPUT JOURNAL
           PERFORM 4 TIMES
               MOVE SPACES TO J-REC
               READ JOURNAL
               DISPLAY 'read ' FS ' ' J-REC
           END-PERFORM
           READ JOURNAL
           DISPLAY 'read behind the end ' FS
           CLOSE JOURNAL
           OPEN OUTPUT VARLOG
           DISPLAY 'open variable ' FS
           MOVE 'abcdefghijklmnopqrstuvwxyz' TO V-REC
           MOVE 4 TO V-SIZE
           WRITE V-REC
           DISPLAY 'write of 4 ' FS
           MOVE 30 TO V-SIZE
           WRITE V-REC
           DISPLAY 'write of 30 ' FS
           MOVE 3 TO V-SIZE
           WRITE V-REC
           DISPLAY 'write of 3 ' FS
           MOVE 31 TO V-SIZE
           WRITE V-REC
           DISPLAY 'write of 31 ' FS
           CLOSE VARLOG
           OPEN I-O VARLOG
           MOVE 0 TO V-SIZE
           READ VARLOG
           DISPLAY 'read ' FS ' ' V-SIZE
           MOVE 'WXYZ' TO V-REC
           REWRITE V-REC
           DISPLAY 'rewrite of 4 ' FS
           READ VARLOG
           DISPLAY 'read ' FS ' ' V-SIZE
           MOVE 29 TO V-SIZE
           REWRITE V-REC
           DISPLAY 'rewrite of 29 ' FS
           CLOSE VARLOG
           OPEN INPUT VARLOG
           READ VARLOG
           DISPLAY 'read ' FS ' ' V-SIZE ' ' V-REC(1:4)
           READ VARLOG
           DISPLAY 'read ' FS ' ' V-SIZE ' ' V-REC
           READ VARLOG
           DISPLAY 'read ' FS
           CLOSE VARLOG
           GOBACK.

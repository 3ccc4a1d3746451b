      * Beside a region that has the files: they can be read, and not
      * be changed.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BESIDE.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT PLAIN ASSIGN TO PLAIN
               ORGANIZATION IS INDEXED ACCESS MODE IS DYNAMIC
               RECORD KEY IS P-KEY FILE STATUS IS FS.
       DATA DIVISION.
       FILE SECTION.
       FD  PLAIN.
       01  P-REC.
           05  P-KEY       PIC X(6).
           05  P-TEXT      PIC X(14).
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
           OPEN OUTPUT PLAIN
           DISPLAY 'open output ' FS
           OPEN EXTEND PLAIN
           DISPLAY 'open extend ' FS
           GOBACK.

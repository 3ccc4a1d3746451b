      * Two programs on one file: the second, which the first calls,
      * sees what the first has written, and the first what it changes.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. TWICE.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT SHARED ASSIGN TO SHARED
               ORGANIZATION IS INDEXED ACCESS MODE IS DYNAMIC
               RECORD KEY IS S-KEY FILE STATUS IS FS.
       DATA DIVISION.
       FILE SECTION.
       FD  SHARED.
       01  S-REC.
           05  S-KEY       PIC X(6).
           05  S-TEXT      PIC X(14).
       WORKING-STORAGE SECTION.
       01  FS              PIC XX.
       PROCEDURE DIVISION.
       MAIN-LINE.
           OPEN OUTPUT SHARED
           MOVE 'K00001first' TO S-REC
           WRITE S-REC
           MOVE 'K00002second' TO S-REC
           WRITE S-REC
           CLOSE SHARED
           OPEN I-O SHARED
           MOVE 'K00003third' TO S-REC
           WRITE S-REC
           DISPLAY 'written ' FS
           CALL 'TWICESUB'
           MOVE 'K00001' TO S-KEY
           READ SHARED
           DISPLAY 'read ' FS ' ' S-TEXT
           MOVE 'K00002' TO S-KEY
           READ SHARED
           DISPLAY 'read, deleted there ' FS
           CLOSE SHARED
           DISPLAY 'close ' FS
           GOBACK.
       END PROGRAM TWICE.

       IDENTIFICATION DIVISION.
       PROGRAM-ID. TWICESUB.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT SHARED ASSIGN TO SHARED
               ORGANIZATION IS INDEXED ACCESS MODE IS DYNAMIC
               RECORD KEY IS S-KEY FILE STATUS IS FS.
       DATA DIVISION.
       FILE SECTION.
       FD  SHARED.
       01  S-REC.
           05  S-KEY       PIC X(6).
           05  S-TEXT      PIC X(14).
       WORKING-STORAGE SECTION.
       01  FS              PIC XX.
       PROCEDURE DIVISION.
       MAIN-LINE.
           OPEN I-O SHARED
           DISPLAY 'open in the second ' FS
           MOVE 'K00003' TO S-KEY
           READ SHARED
           DISPLAY 'read in the second ' FS ' ' S-TEXT
           MOVE 'K00001changed' TO S-REC
           REWRITE S-REC
           DISPLAY 'rewrite in the second ' FS
           MOVE 'K00002' TO S-KEY
           DELETE SHARED
           DISPLAY 'delete in the second ' FS
           CLOSE SHARED
           GOBACK.
       END PROGRAM TWICESUB.

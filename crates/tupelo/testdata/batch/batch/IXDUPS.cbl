      * DUPLICATES of the program is not compared with the index: z/OS
      * compares where a key is and how long.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. IXDUPS.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT STAFF ASSIGN TO STAFF
               ORGANIZATION IS INDEXED ACCESS MODE IS DYNAMIC
               RECORD KEY IS S-KEY
               ALTERNATE RECORD KEY IS S-DEPT
               ALTERNATE RECORD KEY IS S-BADGE WITH DUPLICATES
               FILE STATUS IS FS.
       DATA DIVISION.
       FILE SECTION.
       FD  STAFF.
       01  S-REC.
           05  S-KEY       PIC X(6).
           05  S-DEPT      PIC X(4).
           05  S-BADGE     PIC X(5).
           05  S-TEXT      PIC X(25).
       WORKING-STORAGE SECTION.
       01  FS              PIC XX.
       PROCEDURE DIVISION.
       MAIN-LINE.
           OPEN I-O STAFF
           DISPLAY 'open ' FS
           MOVE 'D1' TO S-DEPT
           READ STAFF KEY IS S-DEPT
           DISPLAY 'department ' FS ' ' S-KEY
           READ STAFF NEXT
           DISPLAY 'next ' FS ' ' S-KEY
           MOVE 'B0002' TO S-BADGE
           READ STAFF KEY IS S-BADGE
           DISPLAY 'badge ' FS ' ' S-KEY
           MOVE 'A00008D1  B0008eight' TO S-REC
           WRITE S-REC
           DISPLAY 'write, department is there ' FS
           MOVE 'A00009D9  B0008nine' TO S-REC
           WRITE S-REC
           DISPLAY 'write, badge is there ' FS
           CLOSE STAFF
           GOBACK.

      * An indexed file with two alternate keys, one of them unique,
      * in dynamic access. READ PREVIOUS, which Enterprise COBOL does
      * not have, goes as VSAM does: backwards over the keys, and the
      * records of one alternate key in their own order.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. IXALT.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT STAFF ASSIGN TO STAFF
               ORGANIZATION IS INDEXED ACCESS MODE IS DYNAMIC
               RECORD KEY IS S-KEY
               ALTERNATE RECORD KEY IS S-DEPT WITH DUPLICATES
               ALTERNATE RECORD KEY IS S-BADGE
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
           OPEN OUTPUT STAFF
           DISPLAY 'open output ' FS
           MOVE 'A00001D1  B0003one' TO S-REC
           WRITE S-REC
           DISPLAY 'write ' FS
           MOVE 'A00003D1  B0001three' TO S-REC
           WRITE S-REC
           DISPLAY 'write, department is there ' FS
           MOVE 'A00002D2  B0002two' TO S-REC
           WRITE S-REC
           DISPLAY 'write out of order ' FS
           WRITE S-REC
           DISPLAY 'write again ' FS
           MOVE 'A00009D3  B0001nine' TO S-REC
           WRITE S-REC
           DISPLAY 'write, badge is there ' FS
           READ STAFF NEXT
           DISPLAY 'read in output ' FS
           START STAFF KEY = S-KEY
           DISPLAY 'start in output ' FS
           REWRITE S-REC
           DISPLAY 'rewrite in output ' FS
           DELETE STAFF
           DISPLAY 'delete in output ' FS
           CLOSE STAFF
           DISPLAY 'close ' FS
           CLOSE STAFF
           DISPLAY 'close again ' FS
           READ STAFF NEXT
           DISPLAY 'read closed ' FS
           START STAFF KEY = S-KEY
           DISPLAY 'start closed ' FS
           WRITE S-REC
           DISPLAY 'write closed ' FS
           REWRITE S-REC
           DISPLAY 'rewrite closed ' FS
           DELETE STAFF
           DISPLAY 'delete closed ' FS
           OPEN I-O STAFF
           DISPLAY 'open i-o ' FS
           OPEN I-O STAFF
           DISPLAY 'open again ' FS
           PERFORM NEXT-RECORD
           MOVE 'D1' TO S-DEPT
           READ STAFF KEY IS S-DEPT
           DISPLAY 'read department ' FS ' ' S-KEY
           PERFORM NEXT-RECORD
           PERFORM NEXT-RECORD
           PERFORM NEXT-RECORD
           PERFORM NEXT-RECORD
           MOVE 'D2' TO S-DEPT
           START STAFF KEY IS EQUAL TO S-DEPT
           DISPLAY 'start = ' FS
           PERFORM NEXT-RECORD
           MOVE 'D1' TO S-DEPT
           START STAFF KEY IS GREATER THAN S-DEPT
           DISPLAY 'start > ' FS
           PERFORM NEXT-RECORD
           MOVE 'D0' TO S-DEPT
           START STAFF KEY IS NOT LESS THAN S-DEPT
           DISPLAY 'start >= ' FS
           PERFORM NEXT-RECORD
           MOVE 'D2' TO S-DEPT
           START STAFF KEY IS LESS THAN S-DEPT
           DISPLAY 'start < ' FS
           PERFORM PREVIOUS-RECORD
           PERFORM PREVIOUS-RECORD
           PERFORM PREVIOUS-RECORD
           MOVE 'B0002' TO S-BADGE
           START STAFF KEY IS NOT LESS THAN S-BADGE
           DISPLAY 'start badge ' FS
           PERFORM NEXT-RECORD
           PERFORM NEXT-RECORD
           PERFORM PREVIOUS-RECORD
           PERFORM NEXT-RECORD
           PERFORM NEXT-RECORD
           MOVE 'ZZZZZZ' TO S-KEY
           START STAFF KEY IS EQUAL TO S-KEY
           DISPLAY 'start, none ' FS
           PERFORM NEXT-RECORD
           READ STAFF KEY IS S-KEY
           DISPLAY 'read, none ' FS
           PERFORM NEXT-RECORD
           MOVE 'A00002D1  B0002two' TO S-REC
           REWRITE S-REC
           DISPLAY 'rewrite, department is there ' FS
           MOVE 'A00002D1  B0001two' TO S-REC
           REWRITE S-REC
           DISPLAY 'rewrite, badge is there ' FS
           MOVE 'A00007D1  B0007' TO S-REC
           REWRITE S-REC
           DISPLAY 'rewrite, none ' FS
           MOVE 'D1' TO S-DEPT
           START STAFF KEY IS EQUAL TO S-DEPT
           DISPLAY 'start = ' FS
           PERFORM NEXT-RECORD
           PERFORM NEXT-RECORD
           PERFORM NEXT-RECORD
           PERFORM NEXT-RECORD
           MOVE 'A00003' TO S-KEY
           DELETE STAFF
           DISPLAY 'delete ' FS
           DELETE STAFF
           DISPLAY 'delete again ' FS
           MOVE LOW-VALUES TO S-KEY
           START STAFF KEY IS NOT LESS THAN S-KEY
           DISPLAY 'start ' FS
           PERFORM NEXT-RECORD
           PERFORM NEXT-RECORD
           PERFORM NEXT-RECORD
           CLOSE STAFF
           OPEN INPUT STAFF
           DISPLAY 'open input ' FS
           WRITE S-REC
           DISPLAY 'write in input ' FS
           REWRITE S-REC
           DISPLAY 'rewrite in input ' FS
           DELETE STAFF
           DISPLAY 'delete in input ' FS
           MOVE 'B0003' TO S-BADGE
           READ STAFF KEY IS S-BADGE
           DISPLAY 'read badge ' FS ' ' S-REC
           CLOSE STAFF
           STOP RUN.
       NEXT-RECORD.
           MOVE SPACES TO S-REC
           READ STAFF NEXT RECORD
           IF FS(1:1) = '0'
               DISPLAY 'next ' FS ' ' S-KEY ' ' S-DEPT ' ' S-BADGE
           ELSE
               DISPLAY 'next ' FS
           END-IF.
       PREVIOUS-RECORD.
           MOVE SPACES TO S-REC
           READ STAFF PREVIOUS RECORD
           IF FS(1:1) = '0'
               DISPLAY 'previous ' FS ' ' S-KEY ' ' S-DEPT ' ' S-BADGE
           ELSE
               DISPLAY 'previous ' FS
           END-IF.

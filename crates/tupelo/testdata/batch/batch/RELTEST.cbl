      * A relative file in its three modes of access: numbers, holes,
      * REWRITE, DELETE and a RELATIVE KEY that is too short.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. RELTEST.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT SEQ-SLOTS ASSIGN TO SLOTS
               ORGANIZATION IS RELATIVE ACCESS MODE IS SEQUENTIAL
               RELATIVE KEY IS SEQ-NO FILE STATUS IS FS.
           SELECT RAN-SLOTS ASSIGN TO SLOTS
               ORGANIZATION IS RELATIVE ACCESS MODE IS RANDOM
               RELATIVE KEY IS RAN-NO FILE STATUS IS FS.
           SELECT DYN-SLOTS ASSIGN TO SLOTS
               ORGANIZATION IS RELATIVE ACCESS MODE IS DYNAMIC
               RELATIVE KEY IS DYN-NO FILE STATUS IS FS.
           SELECT ONE-DIGIT ASSIGN TO SLOTS
               ORGANIZATION IS RELATIVE ACCESS MODE IS SEQUENTIAL
               RELATIVE KEY IS ONE-NO FILE STATUS IS FS.
           SELECT NO-KEY ASSIGN TO SLOTS
               ORGANIZATION IS RELATIVE ACCESS MODE IS SEQUENTIAL
               FILE STATUS IS FS.
       DATA DIVISION.
       FILE SECTION.
       FD  SEQ-SLOTS.
       01  SEQ-REC         PIC X(10).
       FD  RAN-SLOTS.
       01  RAN-REC         PIC X(10).
       FD  DYN-SLOTS.
       01  DYN-REC         PIC X(10).
       FD  ONE-DIGIT.
       01  ONE-REC         PIC X(10).
       FD  NO-KEY.
       01  NO-REC          PIC X(10).
       WORKING-STORAGE SECTION.
       01  FS              PIC XX.
       01  SEQ-NO          PIC 9(6).
       01  RAN-NO          PIC 9(6) COMP.
       01  RAN-SHOWN       PIC 9(6).
       01  DYN-NO          PIC 9(6) COMP-3.
       01  DYN-SHOWN       PIC 9(6).
       01  ONE-NO          PIC 9.
       PROCEDURE DIVISION.
       MAIN-LINE.
           OPEN OUTPUT SEQ-SLOTS
           DISPLAY 'open output ' FS
           MOVE 77 TO SEQ-NO
           MOVE 'one' TO SEQ-REC
           WRITE SEQ-REC
           DISPLAY 'write ' FS ' ' SEQ-NO
           MOVE 'two' TO SEQ-REC
           WRITE SEQ-REC
           DISPLAY 'write ' FS ' ' SEQ-NO
           MOVE 'three' TO SEQ-REC
           WRITE SEQ-REC
           DISPLAY 'write ' FS ' ' SEQ-NO
           CLOSE SEQ-SLOTS
           OPEN I-O RAN-SLOTS
           DISPLAY 'open random ' FS
           MOVE 7 TO RAN-NO
           MOVE 'seven' TO RAN-REC
           WRITE RAN-REC
           DISPLAY 'write 7 ' FS
           WRITE RAN-REC
           DISPLAY 'write 7 again ' FS
           MOVE 0 TO RAN-NO
           WRITE RAN-REC
           DISPLAY 'write 0 ' FS
           MOVE 12 TO RAN-NO
           MOVE 'twelve' TO RAN-REC
           WRITE RAN-REC
           DISPLAY 'write 12 ' FS
           MOVE 5 TO RAN-NO
           READ RAN-SLOTS
           DISPLAY 'read a hole ' FS
           REWRITE RAN-REC
           DISPLAY 'rewrite a hole ' FS
           DELETE RAN-SLOTS
           DISPLAY 'delete a hole ' FS
           MOVE 2 TO RAN-NO
           READ RAN-SLOTS
           DISPLAY 'read 2 ' FS ' ' RAN-REC
           MOVE 'TWO' TO RAN-REC
           REWRITE RAN-REC
           DISPLAY 'rewrite 2 ' FS
           MOVE 1 TO RAN-NO
           DELETE RAN-SLOTS
           DISPLAY 'delete 1 ' FS
           READ RAN-SLOTS
           DISPLAY 'read 1 ' FS
           CLOSE RAN-SLOTS
           OPEN I-O DYN-SLOTS
           DISPLAY 'open dynamic ' FS
           PERFORM NEXT-RECORD
           PERFORM NEXT-RECORD
           PERFORM NEXT-RECORD
           PERFORM NEXT-RECORD
           PERFORM NEXT-RECORD
           MOVE 4 TO DYN-NO
           START DYN-SLOTS KEY IS EQUAL TO DYN-NO
           DISPLAY 'start = 4 ' FS
           PERFORM NEXT-RECORD
           MOVE 4 TO DYN-NO
           START DYN-SLOTS KEY IS NOT LESS THAN DYN-NO
           DISPLAY 'start >= 4 ' FS
           PERFORM NEXT-RECORD
           MOVE 7 TO DYN-NO
           START DYN-SLOTS KEY IS GREATER THAN DYN-NO
           DISPLAY 'start > 7 ' FS
           PERFORM NEXT-RECORD
           MOVE 7 TO DYN-NO
           START DYN-SLOTS KEY IS LESS THAN DYN-NO
           DISPLAY 'start < 7 ' FS
           PERFORM NEXT-RECORD
           MOVE 3 TO DYN-NO
           READ DYN-SLOTS
           DISPLAY 'read 3 ' FS ' ' DYN-REC
           PERFORM NEXT-RECORD
           MOVE 7 TO DYN-NO
           DELETE DYN-SLOTS
           DISPLAY 'delete 7 ' FS
           PERFORM NEXT-RECORD
           CLOSE DYN-SLOTS
           OPEN I-O SEQ-SLOTS
           DISPLAY 'open sequential ' FS
           DELETE SEQ-SLOTS
           DISPLAY 'delete before read ' FS
           READ SEQ-SLOTS
           DISPLAY 'read ' FS ' ' SEQ-NO ' ' SEQ-REC
           MOVE 9 TO SEQ-NO
           MOVE 'II' TO SEQ-REC
           REWRITE SEQ-REC
           DISPLAY 'rewrite ' FS
           REWRITE SEQ-REC
           DISPLAY 'rewrite twice ' FS
           READ SEQ-SLOTS
           DISPLAY 'read ' FS ' ' SEQ-NO ' ' SEQ-REC
           DELETE SEQ-SLOTS
           DISPLAY 'delete ' FS
           CLOSE SEQ-SLOTS
           OPEN EXTEND SEQ-SLOTS
           DISPLAY 'open extend ' FS
           MOVE 'last' TO SEQ-REC
           WRITE SEQ-REC
           DISPLAY 'write ' FS ' ' SEQ-NO
           CLOSE SEQ-SLOTS
           OPEN INPUT ONE-DIGIT
           READ ONE-DIGIT
           DISPLAY 'read ' FS ' ' ONE-NO ' ' ONE-REC
           READ ONE-DIGIT
           DISPLAY 'read, two digits ' FS
           CLOSE ONE-DIGIT
           OPEN INPUT NO-KEY
           READ NO-KEY
           DISPLAY 'read ' FS ' ' NO-REC
           READ NO-KEY
           DISPLAY 'read ' FS ' ' NO-REC
           READ NO-KEY
           DISPLAY 'read ' FS ' ' NO-REC
           READ NO-KEY AT END DISPLAY 'at end ' FS END-READ
           READ NO-KEY
           DISPLAY 'read ' FS
           CLOSE NO-KEY
           GOBACK.
       NEXT-RECORD.
           MOVE SPACES TO DYN-REC
           READ DYN-SLOTS NEXT RECORD
           MOVE DYN-NO TO DYN-SHOWN
           IF FS(1:1) = '0'
               DISPLAY 'next ' FS ' ' DYN-SHOWN ' ' DYN-REC
           ELSE
               DISPLAY 'next ' FS
           END-IF.

       IDENTIFICATION DIVISION.
       PROGRAM-ID. READER.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT PW ASSIGN TO '/etc/passwd'
             ORGANIZATION IS LINE SEQUENTIAL.
       DATA DIVISION.
       FILE SECTION.
       FD PW.
       01 R PIC X(60).
       LINKAGE SECTION.
       01 L PIC X(60).
       PROCEDURE DIVISION USING L.
           OPEN INPUT PW.
           READ PW.
           MOVE R TO L.
           CLOSE PW.
           GOBACK.

       IDENTIFICATION DIVISION.
       PROGRAM-ID. FUNCS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  R                       PIC S9(30)V9(8) COMP-3.
       01  E                       PIC -(30)9.9(8).
       01  T.
           05  N                   PIC 9 OCCURS 3.
           05  G                   OCCURS 2.
               10  M               PIC 9 OCCURS 2 TIMES.
       PROCEDURE DIVISION.
           MOVE '1231234' TO T

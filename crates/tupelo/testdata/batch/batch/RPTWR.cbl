      * REPORT WRITER: headings, two controls with sums, a page that is
      * full, and the counters of lines and pages.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. RPTWR.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT RPT ASSIGN TO RPTDD.
       DATA DIVISION.
       FILE SECTION.
       FD  RPT RECORDING MODE F REPORT IS SALES.
       WORKING-STORAGE SECTION.
       01  REGION-NAME             PIC X(5).
       01  SHOP                    PIC X(3).
       01  AMOUNT                  PIC 9(5)V99.
       01  PAGES                   PIC 9.
       REPORT SECTION.
       RD  SALES CONTROLS ARE FINAL REGION-NAME
           PAGE LIMIT 9 LINES HEADING 1 FIRST DETAIL 3
           LAST DETAIL 7 FOOTING 8.
       01  TYPE PAGE HEADING.
           02  LINE 1.
               03  COLUMN 1        PIC X(5) VALUE 'SALES'.
               03  COLUMN 20       PIC X(5) VALUE 'PAGE'.
               03  COLUMN 25       PIC Z9 SOURCE PAGE-COUNTER.
       01  SALE TYPE DETAIL.
           02  LINE PLUS 1.
               03  COLUMN 1        PIC X(5) SOURCE REGION-NAME
                                   GROUP INDICATE.
               03  COLUMN 7        PIC X(3) SOURCE SHOP.
               03  COLUMN 12       PIC ZZ,ZZ9.99 SOURCE AMOUNT.
       01  TYPE CONTROL FOOTING REGION-NAME.
           02  LINE PLUS 1.
               03  COLUMN 1        PIC X(5) VALUE 'TOTAL'.
               03  REGION-SUM COLUMN 12 PIC ZZ,ZZ9.99 SUM AMOUNT.
       01  TYPE CONTROL FOOTING FINAL.
           02  LINE PLUS 1.
               03  COLUMN 1        PIC X(3) VALUE 'ALL'.
               03  COLUMN 12       PIC ZZ,ZZ9.99 SUM REGION-SUM.
       PROCEDURE DIVISION.
           OPEN OUTPUT RPT
           INITIATE SALES
           MOVE 'NORTH' TO REGION-NAME
           MOVE 'A01' TO SHOP MOVE 10.50 TO AMOUNT GENERATE SALE
           MOVE 'A02' TO SHOP MOVE 1200 TO AMOUNT GENERATE SALE
           MOVE 'SOUTH' TO REGION-NAME
           MOVE 'B01' TO SHOP MOVE 1 TO AMOUNT GENERATE SALE
           MOVE 'B02' TO SHOP MOVE 0.25 TO AMOUNT GENERATE SALE
           MOVE 'B03' TO SHOP MOVE 3 TO AMOUNT GENERATE SALE
           TERMINATE SALES
           CLOSE RPT
           MOVE PAGE-COUNTER TO PAGES
           DISPLAY 'PAGES ' PAGES
           STOP RUN.

H.open();
